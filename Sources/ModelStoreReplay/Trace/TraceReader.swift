import LMDB
package import StoreEngine

/// Reads a trace, chunk by chunk. It returns a frame after it has verified the checksum of the frame's chunk. At the end of an
/// unfinished trace, it also returns frames whose checksum is missing.
///
/// One task at a time can use it.
package final class TraceReader {
    /// A frame, and its line number from 1.
    package struct Line: Sendable {
        package let number: Int
        /// The length of the line.
        package let byteCount: Int
        package let frame: TraceFrame
    }

    /// The contents of the end of a trace.
    package struct End: Sendable {
        /// The position after the last frame.
        package let position: Position
        /// The content hash of all records at that position; nil if fields were redacted.
        package let content: UInt64?
    }

    /// The maximum number of bytes under one checksum. One line may be as long as that.
    private static let maximumChunkByteCount = 512 << 20

    package let header: TraceHeader
    /// The end of the trace; nil until it was read, and for an unfinished trace.
    package private(set) var end: End?
    /// Whether the trace lacks its end, as after a recorder was killed.
    package private(set) var isUnfinished = false
    private let mayBeUnfinished: Bool
    private let lines: TraceLines
    private var lineNumber = 0
    private var check: UInt64 = 0
    private var frameCount = 0
    /// The first error, which every later call throws again.
    private var failure: StoreError?
    /// The chunk whose frames are returned next.
    private var chunk: [Line] = []
    private var chunkIndex = 0

    /// Opens a trace and reads its header.
    ///
    /// - Parameter mayBeUnfinished: whether a trace without its end is read up to its last complete line, instead of an error.
    ///   The lines of the last chunk then have no checksum.
    /// - Throws: `StoreError`: `noSuchTrace`, `ioError`, `traceDamaged`, `newerTrace`.
    package init(path: String, mayBeUnfinished: Bool = false) throws(StoreError) {
        self.mayBeUnfinished = mayBeUnfinished
        lines = try TraceLines(path: path)
        guard let line = try lines.next() else { throw Self.damaged(path, 1, TraceMistake("it is empty")) }
        do {
            header = try TraceHeader(try JSONReader.read(line))
            lineNumber = 1
            guard let checkLine = try lines.next() else { throw TraceMistake("it ends after its header") }
            lineNumber = 2
            try requireCheck(JSONReader.read(checkLine), of: line)
        } catch {
            throw Self.damaged(path, lineNumber + 1, error)
        }
    }

    /// Returns the next frame; nil at the end.
    ///
    /// - Throws: `StoreError`: `traceDamaged` with the line; `ioError`.
    package func next() throws(StoreError) -> Line? {
        while chunkIndex == chunk.count {
            if end != nil || isUnfinished { return nil }
            if let failure { throw failure }
            do {
                try readChunk()
            } catch {
                let failure = Self.damaged(lines.path, lineNumber, error)
                self.failure = failure
                throw failure
            }
        }
        chunkIndex += 1
        return chunk[chunkIndex - 1]
    }

    /// Reads the lines up to the next checksum, or the end of the file.
    private func readChunk() throws {
        var bytes: [UInt8] = []
        var frames: [Line] = []
        var foundEnd: End?
        let firstNumber = lineNumber + 1
        while let line = try lines.next() {
            lineNumber += 1
            guard line.last == UInt8(ascii: "\n") else { break }
            // The checksum detects missing and changed lines, so the lines are parsed only after it.
            if let check = Self.check(line) {
                try requireCheck(check, of: bytes)
                // All lines except the checksum.
                let texts = bytes.split(separator: UInt8(ascii: "\n"))
                for (number, text) in texts.enumerated() {
                    let json = try JSONReader.read(Array(text))
                    if json.object?.first?.key == "end" {
                        foundEnd = try Self.end(json)
                        try requireCount(json, frameCount + number)
                    } else if let frame = try TraceFrame(json) {
                        frames.append(Line(number: firstNumber + number, byteCount: text.count + 1, frame: frame))
                    }
                }
                frameCount += texts.count
                guard try foundEnd == nil || lines.next() == nil else {
                    throw TraceMistake("it continues after its end")
                }
                chunk = frames
                chunkIndex = 0
                end = foundEnd
                return
            }
            bytes += line
            guard bytes.count <= Self.maximumChunkByteCount else { throw TraceMistake("a chunk has no checksum") }
        }
        guard mayBeUnfinished else { throw TraceMistake("it stops early, without its end") }
        isUnfinished = true
        chunk = Self.readable(bytes, from: firstNumber)
        chunkIndex = 0
    }

    /// Returns the readable frames of a chunk whose checksum is missing because the program was killed.
    private static func readable(_ bytes: [UInt8], from firstNumber: Int) -> [Line] {
        var frames: [Line] = []
        for (number, text) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            do {
                // A frame of an unknown kind is left out, as in a chunk with a checksum.
                guard let frame = try TraceFrame(try JSONReader.read(Array(text))) else { continue }
                frames.append(Line(number: firstNumber + number, byteCount: text.count + 1, frame: frame))
            } catch {
                break
            }
        }
        return frames
    }

    /// Returns the checksum of a line; nil for other lines.
    private static func check(_ line: [UInt8]) -> JSONValue? {
        guard line.starts(with: Array(#"{"check":"#.utf8)) else { return nil }
        return try? JSONReader.read(line)
    }

    private func requireCheck(_ json: JSONValue, of bytes: [UInt8]) throws {
        let computed = unsafe XXH64.hash(bytes.span.bytes, seed: check)
        guard json["check"]?.hash == computed else {
            throw TraceMistake("the lines before it were changed, or some are missing: their checksum does not match")
        }
        check = computed
    }

    private func requireCount(_ json: JSONValue, _ found: Int) throws {
        guard json["end"]?.number?.uint64 == UInt64(found) else {
            throw TraceMistake("its end does not give the count of \(found) frames")
        }
    }

    private static func end(_ json: JSONValue) throws -> End {
        guard let position = json["at"]?.string.flatMap(Position.init) else {
            throw TraceMistake("its end has no position")
        }
        return End(position: position, content: json["content"]?.hash)
    }

    private static func damaged(_ path: String, _ line: Int, _ error: any Error) -> StoreError {
        if let error = error as? StoreError { return error }
        let reason: String
        switch error {
        case let mistake as TraceMistake: reason = mistake.reason
        // Each line is parsed separately, so the line number in the error is meaningless.
        case let error as JSONError: reason = "column \(error.column), \(error.reason)"
        default: reason = "\(ErrorText.of(error))"
        }
        return StoreError(
            .traceDamaged, "the trace \(path) is damaged, line \(line): \(reason)",
            remedy: "record it again, or read an unfinished trace up to its last whole line", cause: error)
    }
}
