/// Writes entries to a temporary file between validation and the transaction, so that they need no memory.
///
/// An entry is a length, a line number and a type number of 8 bytes each, and its bytes.
final class SpoolWriter {
    static let headerByteCount = 24

    private let file: TemporaryFile
    private var buffer: [UInt8] = []
    private(set) var count = 0

    init() throws { file = try TemporaryFile() }

    /// Appends an entry.
    func append(_ bytes: [UInt8], line: Int, type: Int = 0) throws {
        for number in [bytes.count, line, type] {
            for shift in stride(from: 0, to: 64, by: 8) {
                buffer.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        buffer.append(contentsOf: bytes)
        count += 1
        if buffer.count >= TemporaryFile.pieceByteCount { try flush() }
    }

    /// Ends the writing and returns the spool.
    func seal() throws -> Spool {
        try flush()
        return Spool(file: file, count: count)
    }

    private func flush() throws {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// A written spool, which can be read any number of times. Immutable.
final class Spool: Sendable {
    let count: Int
    fileprivate let file: TemporaryFile

    fileprivate init(file: TemporaryFile, count: Int) {
        self.file = file
        self.count = count
    }

    /// Returns a reader at the first entry.
    func makeReader() -> SpoolReader { SpoolReader(self) }
}

/// Reads the entries of a spool in order.
struct SpoolReader {
    private let spool: Spool
    private var offset = 0
    private var buffer: [UInt8] = []
    private var position = 0
    private var remaining: Int

    fileprivate init(_ spool: Spool) {
        self.spool = spool
        remaining = spool.count
    }

    /// Returns the next entry, or nil at the end.
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

    /// Loads the buffer until it has this number of bytes.
    private mutating func fill(_ count: Int) throws {
        if buffer.count - position >= count { return }
        buffer.removeFirst(position)
        position = 0
        while buffer.count < count {
            let limit = max(TemporaryFile.pieceByteCount, count - buffer.count)
            let piece = try spool.file.read(at: offset, limit: limit)
            guard !piece.isEmpty else { throw SystemFailure("the temporary file cannot be read", code: 0) }
            offset += piece.count
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
