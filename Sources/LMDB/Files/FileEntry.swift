internal import CLMDB
internal import Glibc

/// A name in a directory, without following a symbolic link.
struct FileEntry {
    enum Kind {
        case regular, directory, symbolicLink
        /// A pipe, a socket or a device.
        case special
    }

    let node: FileNode
    let kind: Kind
    /// How many names the file has.
    let linkCount: UInt64
    let byteCount: Int

    init(_ status: stat) {
        node = FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .special
            }
        linkCount = UInt64(status.st_nlink)
        byteCount = Int(status.st_size)
    }

    /// Throws unless the files of a store, where they exist, are regular files with one name each.
    ///
    /// A file with two names, in two directories, has two lock files: processes that open it by different names do not see each
    /// other's locks, and damage it. LMDB itself follows links.
    static func requireOwnFiles(of path: String) throws(LMDBError) {
        for name in ["data.mdb", "lock.mdb"] + RedoFiles.names {
            guard case .file(let entry) = SystemCalls.entry(path + "/" + name) else { continue }
            switch entry.kind {
            case .directory: throw notAStore("\(name) is a directory", path)
            case .special: throw notAStore("\(name) is not a regular file", path)
            case .symbolicLink:
                throw LMDBError(
                    .linkedFile, operation: "open", path: path, detail: "\(name) is a symbolic link",
                    remedy: "open the directory that holds the file itself, or copy the store with `store-cli backup`")
            case .regular where entry.linkCount > 1:
                throw LMDBError(
                    .linkedFile, operation: "open", path: path,
                    detail:
                        "\(name) has \(entry.linkCount) names (hard links), and each directory would have its own locks",
                    remedy: "copy the store with `store-cli backup` where no name is linked, and remove the other names"
                )
            case .regular: continue
            }
        }
    }

    private static func notAStore(_ detail: String, _ path: String) -> LMDBError {
        LMDBError(
            .notAStore, operation: "open", path: path, detail: detail, remedy: "name the directory of a store")
    }
}
