import Glibc
import StoreEngine
import StoreRuntime

/// The lines of a trace file, read in blocks. One task at a time can use it.
final class TraceLines {
    private static let blockByteCount = 256 << 10

    let path: String
    private let file: Int32
    /// The bytes that were read. The lines before `start` are taken.
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// - Throws: `StoreError`: `invalidValue` for an empty or blank path; `noSuchTrace`; `ioError`.
    init(path: String) throws(StoreError) {
        try StoreDirectory.requireNamed(path, "of the trace")
        self.path = path
        file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw TraceFile.failure("be read", path) }
            throw StoreError(.noSuchTrace, "there is no trace \(path)", remedy: "check the path, or record it first")
        }
    }

    deinit { close(file) }

    /// Returns the next line with its line feed. If the file ends inside a line, returns the rest without a line feed. Nil at the
    /// end.
    ///
    /// - Throws: `StoreError`: `ioError`; `traceDamaged` for a line that is too long.
    func next() throws(StoreError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = lineFeed(from: searched) {
                defer { start = end + 1 }
                return Array(buffer[start...end])
            }
            searched = buffer.count
            if isAtEnd {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            guard buffer.count - start <= TraceFile.maximumLineByteCount else {
                throw StoreError(
                    .traceDamaged, "the trace \(path) has a line of more than \(TraceFile.maximumLineByteCount) bytes",
                    remedy: "check the path, or record the trace again")
            }
            searched -= start
            try readBlock()
        }
    }

    private func lineFeed(from offset: Int) -> Int? {
        unsafe buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress,
                let found = unsafe memchr(start + offset, Int32(UInt8(ascii: "\n")), bytes.count - offset)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    private func readBlock() throws(StoreError) {
        var result = 0
        let block = unsafe [UInt8](unsafeUninitializedCapacity: Self.blockByteCount) { bytes, count in
            repeat {
                result = unsafe read(file, bytes.baseAddress, Self.blockByteCount)
            } while result < 0 && errno == EINTR
            count = max(result, 0)
        }
        guard result >= 0 else { throw TraceFile.failure("be read", path) }
        // Appended to the rest of the buffer, so that the blocks of a long line are not copied again.
        buffer.removeFirst(start)
        buffer += block
        start = 0
        isAtEnd = result == 0
    }
}
