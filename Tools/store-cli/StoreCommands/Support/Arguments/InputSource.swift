import Glibc
import StoreRuntime

/// A file, or standard input if its name is `-`.
final class InputSource {
    private static let chunkByteCount = 1 << 18
    /// The limit for input that is read as a whole, which is a document that a person wrote.
    private static let wholeByteLimit = 64 << 20

    /// The name in messages.
    let name: String
    /// The size, if the input has one.
    let byteCount: Int?
    /// The number of bytes read so far.
    private(set) var consumed = 0
    private let descriptor: CInt
    private let owns: Bool

    init(_ path: String) throws {
        try InputSource.requireNamed(path)
        owns = path != "-"
        if owns {
            name = path
            descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemFailure("\(path) cannot be opened") }
        } else {
            name = "standard input"
            descriptor = STDIN_FILENO
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemFailure("\(name) cannot be read") }
        byteCount = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Throws if a path names nothing.
    static func requireNamed(_ path: String) throws { try StoreDirectory.requireNamed(path, "of the input") }

    deinit { if owns { close(descriptor) } }

    /// Returns the next bytes; none at the end.
    func read() throws -> [UInt8] {
        let bytes = try FileDescriptor.read(descriptor, limit: Self.chunkByteCount) {
            SystemFailure("\(self.name) cannot be read", code: $0)
        }
        consumed += bytes.count
        return bytes
    }

    /// Returns the whole input.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try read()
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= Self.wholeByteLimit else {
                throw CommandFailure(.badData, "\(name) has more than \(Self.wholeByteLimit) bytes")
            }
        }
    }
}
