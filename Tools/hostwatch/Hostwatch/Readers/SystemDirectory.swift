import Foundation
import Glibc

/// A directory that is held open, and whose files are read whole.
///
/// An open `/proc/[pid]` belongs to its process: once the process is gone, its files cannot be read, even if another process has
/// got the same id. So all files that are read through one instance belong to one process.
struct SystemDirectory: ~Copyable {
    private let descriptor: CInt
    private let path: String

    /// Opens the directory at `path`.
    init(at path: String) throws(HostReadError) {
        descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        self.path = path
        guard descriptor >= 0 else { throw HostReadError(path: path, systemCode: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the content of the file `name` in this directory.
    func bytes(of name: String) throws(HostReadError) -> [UInt8] {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HostReadError(path: path + "/" + name, systemCode: errno) }
        defer { close(file) }
        return try Self.readAll(file, path: path + "/" + name)
    }

    /// Returns the content of the file at `path`.
    static func bytes(at path: String) throws(HostReadError) -> [UInt8] {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HostReadError(path: path, systemCode: errno) }
        defer { close(file) }
        return try readAll(file, path: path)
    }

    /// Returns the names in the directory at `path`, in no particular order.
    static func names(at path: String) throws(HostReadError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw HostReadError(path: path, reason: "the directory cannot be listed: \(error)")
        }
    }

    /// Files in `/proc` and `/sys` do not report their size, so they are read until the end.
    private static func readAll(_ file: CInt, path: String) throws(HostReadError) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count == 0 { return content }
            if count < 0 {
                if errno == EINTR { continue }
                throw HostReadError(path: path, systemCode: errno)
            }
            content.append(contentsOf: buffer[..<count])
        }
    }
}
