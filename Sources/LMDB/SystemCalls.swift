internal import CLMDB
internal import Glibc

/// The system's calls that this layer makes beside LMDB's, each with a Swift face.
enum SystemCalls {
    /// The calling thread, as the writer's seat knows it.
    @inline(__always)
    static var currentThread: UInt {
        UInt(pthread_self())
    }

    /// A file's device and inode; nil (and `errno`) if there is no such file.
    static func node(at path: String) -> FileNode? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// The same for an open file.
    static func node(of descriptor: Int32) -> FileNode? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return FileNode(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    static func byteCount(of descriptor: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return Int(status.st_size)
    }

    /// When a file was made, in nanoseconds since 1970; nil where the file system does not keep it.
    static func birthNanoseconds(of descriptor: Int32) -> Int? {
        let nanoseconds = clmdb_birth_nanoseconds(descriptor)
        return nanoseconds < 0 ? nil : Int(nanoseconds)
    }
}

/// Which file it is, whatever path leads to it.
struct FileNode: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}
