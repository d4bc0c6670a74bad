import Foundation
import Glibc

/// A directory held open, from which files are read whole.
///
/// An open `/proc/[pid]` stays with its process: once that is gone its files cannot be read, even if another process
/// has got the same id in between. So all that is read through one of these is about one process.
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

    /// The content of the file `name` in this directory.
    func bytes(of name: String) throws(HostReadError) -> [UInt8] {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HostReadError(path: path + "/" + name, systemCode: errno) }
        defer { close(file) }
        return try Self.readAll(file, path: path + "/" + name)
    }

    /// The content of the file at `path`.
    static func bytes(at path: String) throws(HostReadError) -> [UInt8] {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HostReadError(path: path, systemCode: errno) }
        defer { close(file) }
        return try readAll(file, path: path)
    }

    /// The names in the directory at `path`, in no order.
    static func names(at path: String) throws(HostReadError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw HostReadError(path: path, reason: "the directory cannot be listed: \(error)")
        }
    }

    /// Files in `/proc` and `/sys` say nothing of their size, so they are read until nothing more comes.
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
