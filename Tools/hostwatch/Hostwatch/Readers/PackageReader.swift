import Glibc
import Synchronization

/// Reads the installed packages from dpkg's status file.
///
/// The reader keeps its last result, and returns it again while the file is unchanged.
///
/// - `last` is protected by its mutex.
final class PackageReader: Sendable {
    /// Identifies a version of a file.
    private struct FileState: Equatable {
        let inode: UInt64
        let byteCount: Int
        let seconds: Int
        let nanoseconds: Int

        /// Reads the state of the file at `path`; nil if the file cannot be examined.
        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            inode = UInt64(status.st_ino)
            byteCount = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private let statusPath: String
    private let last = Mutex<(file: FileState, packages: [Package])?>(nil)

    /// - Parameter statusPath: the path of dpkg's status file.
    init(statusPath: String = "/var/lib/dpkg/status") { self.statusPath = statusPath }

    /// Returns the installed packages. dpkg replaces its file as a whole, so this is one consistent state.
    func read() throws(HostReadError) -> [Package] {
        // Before the file is read: a file that is replaced during the read is read again the next time.
        let file = FileState(of: statusPath)
        if let last = last.withLock({ $0 }), last.file == file { return last.packages }
        let packages = try Self.parse(try SystemDirectory.bytes(at: statusPath), path: statusPath)
        last.withLock { $0 = file.map { ($0, packages) } }
        return packages
    }

    /// Returns the installed packages in a status file, in its order.
    static func parse(_ bytes: [UInt8], path: String) throws(HostReadError) -> [Package] {
        var packages: [Package] = []
        for stanza in try Deb822Stanza.parse(bytes, path: path) {
            guard let name = stanza["Package"] else {
                throw HostReadError(
                    path: path, reason: "a paragraph names no package: \(stanza.fields.first?.name ?? "")")
            }
            let status = stanza["Status"] ?? ""
            guard isInstalled(status) else { continue }
            let description = stanza["Description"] ?? ""
            packages.append(
                Package(
                    name: name, architecture: stanza["Architecture"] ?? "", version: stanza["Version"] ?? "",
                    section: stanza["Section"] ?? "", priority: stanza["Priority"] ?? "",
                    installedKiB: stanza["Installed-Size"].flatMap { Int($0) }, status: status,
                    maintainer: stanza["Maintainer"],
                    summary: String(description.prefix { $0 != "\n" })))
        }
        return packages
    }

    /// Returns whether a status such as `install ok installed` means that the package is present and set up. A package that waits
    /// for triggers counts as well: packages pass through that state while dpkg works, and are not gone in the meantime.
    private static func isInstalled(_ status: String) -> Bool {
        ["installed", "triggers-pending", "triggers-awaited"].contains(status.split(separator: " ").last)
    }
}
