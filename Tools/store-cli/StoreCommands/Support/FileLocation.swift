import Glibc
import LMDB

/// File operations whose effects are on disk when they return.
enum FileLocation {
    /// Returns the directory that holds `path`.
    static func parent(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if !parts.isEmpty { parts.removeLast() }
        let joined = parts.joined(separator: "/")
        return path.hasPrefix("/") ? "/" + joined : joined.isEmpty ? "." : joined
    }

    /// Syncs a directory's entries to disk.
    static func sync(directory: String) throws { try sync(directory, O_RDONLY | O_DIRECTORY) }

    /// Syncs a file's contents to disk.
    static func sync(file: String) throws { try sync(file, O_RDONLY) }

    private static func sync(_ path: String, _ flags: Int32) throws {
        let descriptor = unsafe open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemFailure("\(path) cannot be written to disk") }
    }
}

/// A temporary directory in which a file is made before it is moved to its destination.
struct WorkDirectory {
    let path: String

    /// Creates a directory with a unique name in `parent`.
    init(in parent: String, name: String) throws {
        var template = Array("\(parent)/.\(name)-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, let made = unsafe mkdtemp(base) else { return nil }
            return unsafe String(cString: made)
        }
        guard let made else { throw SystemFailure("no file can be created in \(parent)") }
        path = made
    }

    /// Removes the directory and the files in it.
    func remove() {
        for name in ["data.mdb", "lock.mdb", WakeFile.name] { _ = unsafe unlink(path + "/" + name) }
        _ = unsafe rmdir(path)
    }
}

/// Formats counts for messages.
enum Counted {
    /// Returns `1 row`, `2 rows`.
    static func text(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }
}
