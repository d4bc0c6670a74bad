import Glibc

/// Splits input into lines, without their ends. Skips a line that is too long, and reports it.
struct LineReader {
    /// No line with a record is longer. The limit keeps a file without line ends from filling the memory.
    static let maximumByteCount = 64 << 20

    private let input: InputSource
    private var chunk: [UInt8] = []
    private var position = 0
    private var isAtEnd = false
    /// The number of the line that was read last, from 1.
    private(set) var line = 0

    init(_ input: InputSource) { self.input = input }

    /// Returns the next line, or nil at the end.
    ///
    /// - Throws: ``ImportMistake`` for a line that is too long. The next call continues with the next line.
    mutating func next() throws -> [UInt8]? {
        var bytes: [UInt8] = []
        var isTooLong = false
        var hasAny = false
        while try fill() {
            hasAny = true
            let lineEnd = endOfLine()
            let end = lineEnd ?? chunk.count
            if bytes.count + end - position > Self.maximumByteCount {
                isTooLong = true
                bytes = []
            } else if !isTooLong {
                bytes += chunk[position..<end]
            }
            position = lineEnd.map { $0 + 1 } ?? end
            if lineEnd != nil { break }
        }
        guard hasAny else { return nil }
        line += 1
        guard !isTooLong else {
            throw ImportMistake(line: line, reason: "the line has more than \(Self.maximumByteCount) bytes")
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    /// Loads a chunk unless there are bytes left. Returns false at the end.
    private mutating func fill() throws -> Bool {
        if position < chunk.count { return true }
        if isAtEnd { return false }
        chunk = try input.read()
        position = 0
        isAtEnd = chunk.isEmpty
        return !isAtEnd
    }

    private func endOfLine() -> Int? {
        unsafe chunk.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress,
                let found = unsafe memchr(base + position, 0x0A, buffer.count - position)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
