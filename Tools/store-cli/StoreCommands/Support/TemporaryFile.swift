import Glibc

/// A temporary file without a name. Nothing remains of it, however the process ends.
final class TemporaryFile: Sendable {
    /// The best number of bytes for one read or write.
    static let pieceByteCount = 1 << 20

    private let descriptor: CInt

    init() throws {
        let directory = TerminalSize.variable("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(directory)/store-cli-XXXXXX".utf8CString)
        descriptor = unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return -1 }
            let descriptor = unsafe mkstemp(base)
            guard descriptor >= 0 else { return -1 }
            _ = unsafe unlink(base)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        }
        guard descriptor >= 0 else {
            throw SystemFailure("a temporary file cannot be created in \(directory); set TMPDIR to another directory")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws {
        try FileDescriptor.write(bytes, to: descriptor) { code in
            SystemFailure("the temporary file cannot be written; set TMPDIR to a directory with more space", code: code)
        }
    }

    /// Returns up to `limit` bytes from an offset on; none at the end.
    func read(at offset: Int, limit: Int = pieceByteCount) throws -> [UInt8] {
        while true {
            var code: Int32 = 0
            let descriptor = descriptor
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: limit) { bytes, filled in
                let got = unsafe pread(descriptor, bytes.baseAddress, limit, offset)
                code = got < 0 ? errno : 0
                filled = max(got, 0)
            }
            if code == EINTR { continue }
            guard code == 0 else { throw SystemFailure("the temporary file cannot be read", code: code) }
            return piece
        }
    }

    /// Writes the whole file to an output.
    func copy(to output: StandardOutput) throws { try forEachPiece(output.write) }

    /// Calls `body` with the pieces of the file, in order.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        var offset = 0
        while true {
            let piece = try read(at: offset)
            if piece.isEmpty { return }
            offset += piece.count
            try body(piece)
        }
    }
}
