import Glibc
import LMDB
package import StoreEngine

/// Writes a trace: the header, the frames, a checksum after each chunk of frames, and the end.
///
/// ```
/// {"trace":1, …}                              the header
/// {…}                                         frames
/// {"check":"9f…"}                             XXH64 of all bytes since the check before it, seeded with that one
/// {"end":812,"at":"…","content":"5c…"}        how many frames, the position after them, the content hash of all records there
/// {"check":"…"}
/// ```
///
/// Every line ends with a line feed. Only the frames determine where chunks end: a flush writes lines before the checksum of
/// their chunk.
///
/// One task at a time can use it.
package final class TraceWriter {
    /// The maximum number of frames under one checksum, and their approximate maximum number of bytes.
    private static let chunk = (frames: 256, bytes: 64 << 10)

    private let path: String
    private let output: TraceOutput
    private let maximumLineByteCount: Int
    /// The current chunk, and how many of its bytes are in the file.
    private var json = JSONWriter()
    private var writtenCount = 0
    private var pendingFrames = 0
    private var check: UInt64 = 0
    package private(set) var frameCount = 0
    package private(set) var byteCount = 0

    /// Creates a new file, and writes the header. The file gets its path when it is first flushed, or finished.
    ///
    /// - Parameters:
    ///   - replaces: whether the trace may replace an earlier trace at the path.
    ///   - model: the file whose owner and mode the trace gets: the data file of the recorded store.
    ///   - maximumLineByteCount: the longest line. Tests lower it.
    /// - Throws: `StoreError`: `invalidValue` for a path that no trace may have; `traceExists`, `ioError`.
    init(
        path: String, replaces: Bool, like model: String, _ header: TraceHeader,
        maximumLineByteCount: Int = TraceFile.maximumLineByteCount
    ) throws(StoreError) {
        self.path = path
        self.maximumLineByteCount = maximumLineByteCount
        output = try TraceOutput(path, replaces: replaces, like: model)
        json.append(header.json)
        json.endLine()
        try endChunk()
    }

    /// Adds a frame.
    ///
    /// - Throws: `StoreError`: `notRecordable` for a frame that no reader would accept, after which the trace cannot continue;
    ///   `ioError`.
    package func append(_ frame: TraceFrame) throws(StoreError) {
        let start = json.bytes.count
        json.append(frame.json)
        json.endLine()
        guard json.bytes.count - start <= maximumLineByteCount else {
            throw StoreError(
                .notRecordable,
                "\(frame.name) takes \(json.bytes.count - start) bytes in a trace, but a line can have at most \(maximumLineByteCount)",
                remedy: "write less in one change set, or begin the recording after it")
        }
        guard json.greatestDepth <= JSONReader.defaultMaximumDepth else {
            throw StoreError(
                .notRecordable,
                "\(frame.name) nests \(json.greatestDepth) levels deep in a trace, but a line can nest at most \(JSONReader.defaultMaximumDepth)",
                remedy: "write flatter values, or begin the recording after it")
        }
        frameCount += 1
        pendingFrames += 1
        if pendingFrames >= Self.chunk.frames || json.bytes.count >= Self.chunk.bytes { try endChunk() }
    }

    /// Writes the buffered lines, so that a reader of an unfinished trace gets them even if the program ends here.
    package func flush() throws(StoreError) {
        try write()
        try output.publish()
    }

    /// Writes the end, and flushes the file to the disk.
    ///
    /// - Parameters:
    ///   - position: the position after the last frame.
    ///   - content: the content hash of all records at that position; nil if it is not known.
    package func finish(at position: Position, content: UInt64?) throws(StoreError) {
        if pendingFrames > 0 { try endChunk() }
        json.append(
            .object([
                JSONMember("end", .number(JSONNumber(frameCount))), JSONMember("at", .string(position.description)),
                JSONMember("content", content.map { .hash($0) } ?? .null),
            ]))
        json.endLine()
        try endChunk()
        // A pipe is not a file on a disk and cannot be flushed.
        guard fsync(output.descriptor) == 0 || errno == EINVAL else { throw TraceFile.failure("be written", path) }
        try output.publish()
    }

    private func endChunk() throws(StoreError) {
        check = unsafe XXH64.hash(json.bytes.span.bytes, seed: check)
        json.append(.object([JSONMember("check", .hash(check))]))
        json.endLine()
        try write()
        json.removeAll()
        writtenCount = 0
        pendingFrames = 0
    }

    private func write() throws(StoreError) {
        let bytes = json.bytes
        while writtenCount < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(output.descriptor, buffer.baseAddress! + writtenCount, buffer.count - writtenCount)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TraceFile.failure("be written", path) }
            writtenCount += count
            byteCount += count
        }
    }
}

/// Common parts of reading and writing a trace file.
package enum TraceFile {
    /// The longest line, in bytes.
    package static let maximumLineByteCount = 256 << 20

    static func failure(_ what: String, _ path: String) -> StoreError {
        StoreError(
            .ioError, "the trace \(path) cannot \(what): \(unsafe String(cString: strerror(errno)))",
            remedy: "check the path, its access rights and the space on the disk")
    }
}
