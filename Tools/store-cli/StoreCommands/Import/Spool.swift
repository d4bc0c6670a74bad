import Glibc
import StoreEngine

/// Entries on their way from validation to the transaction, in a temporary file and not in memory.
///
/// The file has no name once it is open, so nothing is left of it however the process ends. An entry is a length, a line
/// number and a type number of 8 bytes each, and its bytes.
final class SpoolWriter {
    static let headerByteCount = 24
    private static let pieceByteCount = 1 << 20

    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var isSealed = false
    private(set) var count = 0

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
            throw SystemFailure("a temporary file cannot be made in \(directory); set TMPDIR to another directory")
        }
    }

    deinit { if !isSealed { close(descriptor) } }

    /// Appends an entry.
    func append(_ bytes: [UInt8], line: Int, type: Int = 0) throws {
        for number in [bytes.count, line, type] {
            for shift in stride(from: 0, to: 64, by: 8) {
                buffer.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        buffer.append(contentsOf: bytes)
        count += 1
        if buffer.count >= Self.pieceByteCount { try flush() }
    }

    /// Ends the writing and hands the file over.
    func seal() throws -> Spool {
        try flush()
        isSealed = true
        return Spool(descriptor: descriptor, count: count)
    }

    private func flush() throws {
        try FileDescriptor.write(buffer, to: descriptor) { code in
            SystemFailure("the temporary file cannot be written; set TMPDIR to a larger place", code: code)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// A written spool, which can be read any number of times. Immutable.
final class Spool: Sendable {
    let count: Int
    fileprivate let descriptor: CInt

    fileprivate init(descriptor: CInt, count: Int) {
        self.descriptor = descriptor
        self.count = count
    }

    deinit { close(descriptor) }

    /// A reader at the first entry.
    func makeReader() -> SpoolReader { SpoolReader(self) }
}

/// Reads the entries of a spool in their order.
struct SpoolReader {
    private static let pieceByteCount = 1 << 20

    private let spool: Spool
    private var offset = 0
    private var buffer: [UInt8] = []
    private var position = 0
    private var remaining: Int

    fileprivate init(_ spool: Spool) {
        self.spool = spool
        remaining = spool.count
    }

    /// The next entry; nil at the end.
    mutating func next() throws -> SpoolEntry? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        try fill(SpoolWriter.headerByteCount)
        let length = number(at: 0)
        let (line, type) = (number(at: 1), number(at: 2))
        position += SpoolWriter.headerByteCount
        try fill(length)
        defer { position += length }
        return SpoolEntry(line: line, type: type, bytes: Array(buffer[position..<position + length]))
    }

    private func number(at index: Int) -> Int {
        var value: UInt64 = 0
        for byte in buffer[(position + 8 * index)..<(position + 8 * index + 8)].reversed() {
            value = value << 8 | UInt64(byte)
        }
        return Int(truncatingIfNeeded: value)
    }

    /// Makes sure that so many bytes are in the buffer.
    private mutating func fill(_ count: Int) throws {
        if buffer.count - position >= count { return }
        buffer.removeFirst(position)
        position = 0
        while buffer.count < count {
            let limit = max(Self.pieceByteCount, count - buffer.count)
            let (descriptor, offset) = (spool.descriptor, offset)
            var code: Int32 = 0
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: limit) { bytes, filled in
                let got = unsafe pread(descriptor, bytes.baseAddress, limit, offset)
                code = got < 0 ? errno : 0
                filled = max(got, 0)
            }
            if code == EINTR { continue }
            guard code == 0, !piece.isEmpty else {
                throw SystemFailure("the temporary file cannot be read", code: code)
            }
            self.offset += piece.count
            buffer += piece
        }
    }
}

/// One entry of a spool.
struct SpoolEntry {
    var line: Int
    var type: Int
    var bytes: [UInt8]
}
