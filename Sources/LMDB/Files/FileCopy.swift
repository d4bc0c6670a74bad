internal import Glibc

/// A copy of a file into a new file, made chunk by chunk.
///
/// ```swift
/// var copy = try environment.beginCopy(to: directory)
/// while try copy.advance() { print(copy.byteCount, copy.totalByteCount) }
/// ```
///
/// The new file has its full length from the beginning, and blocks of zeros become holes in it. If the copy is not advanced to
/// its end, its file is removed.
package struct FileCopy: ~Copyable {
    private static let chunkByteCount = 1 << 20
    /// Only whole blocks of this size become holes.
    private static let blockByteCount = 4_096

    private let source: String
    private let target: String
    private let reading: Int32
    private let closesReading: Bool
    private let writing: Int32
    /// Keeps the pages of a commit from reuse; nil for a file that does not change.
    private let reader: LMDBReadTransaction?
    /// Where the source ends, in bytes. The rest of the new file is a hole.
    private let sourceEnd: Int
    private var chunk: [UInt8] = []
    private var isWhole = false

    /// How many bytes of the new file are finished.
    package private(set) var byteCount: Int
    /// The length of the new file, in bytes.
    package let totalByteCount: Int

    /// Creates the new file.
    ///
    /// - Parameters:
    ///   - reading: the open source, in which bytes that are copied do not change.
    ///   - closing: whether the copy closes the source at its end.
    ///   - source: the source's path, for errors.
    ///   - target: the new file, which must not exist.
    ///   - model: an open file whose owner and mode the new file gets; -1 for the mode 0600.
    ///   - range: the bytes to copy, to the same place.
    ///   - length: the length of the new file, in bytes.
    ///   - reader: kept until the copy ends.
    init(
        _ reading: Int32, closing: Bool, _ source: String, to target: String, like model: Int32, _ range: Range<Int>,
        length: Int, reader: consuming LMDBReadTransaction? = nil
    ) throws(LMDBError) {
        let writing: Int32
        do {
            writing = try StoreFile.create(target, like: model)
        } catch {
            if closing { SystemCalls.close(reading) }
            throw error
        }
        guard ftruncate(writing, length) == 0 else {
            let code = errno
            SystemCalls.close(writing)
            _ = unsafe unlink(target)
            if closing { SystemCalls.close(reading) }
            throw LMDBError(code: code, operation: "ftruncate", path: target)
        }
        self.source = source
        self.target = target
        self.reading = reading
        closesReading = closing
        self.writing = writing
        self.reader = reader
        sourceEnd = range.upperBound
        byteCount = range.lowerBound
        totalByteCount = length
    }

    deinit {
        SystemCalls.close(writing)
        if closesReading { SystemCalls.close(reading) }
        if !isWhole { _ = unsafe unlink(target) }
    }

    /// Writes bytes that are not in the source.
    func write(_ bytes: [UInt8], at offset: Int) throws(LMDBError) {
        guard StoreFile.write(writing, bytes, at: offset, path: target) else {
            throw LMDBError(code: errno, operation: "pwrite", path: target)
        }
    }

    /// Copies the next chunk. Waits for nothing but the disk.
    ///
    /// - Returns: false if the copy is whole. It is not synced then.
    /// - Throws: ``LMDBError``: `truncated` if another program cut the source; the system's errors, `diskFull` among them.
    /// - Complexity: O(1), at most a mebibyte.
    package mutating func advance() throws(LMDBError) -> Bool {
        guard byteCount < sourceEnd else {
            byteCount = totalByteCount
            isWhole = true
            return false
        }
        let count = min(Self.chunkByteCount, sourceEnd - byteCount)
        if chunk.isEmpty { chunk = Array(repeating: 0, count: count) }
        if CallFaults.fails(.copy, path: source) { throw LMDBError(code: errno, operation: "pread", path: source) }
        guard let got = SystemCalls.read(reading, at: byteCount, count: count, into: &chunk) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "pread", path: source)
        }
        guard got == count else {
            throw LMDBError(
                .truncated, operation: "pread", path: source,
                detail: "the file ends at byte \(byteCount + got), and was \(sourceEnd) bytes long when its copy began",
                remedy: "restore the store from another copy")
        }
        try writeBlocks(of: count)
        byteCount += count
        return true
    }

    /// Writes the blocks of the chunk with other bytes than zeros.
    private func writeBlocks(of count: Int) throws(LMDBError) {
        var start = 0
        while start < count {
            let isHole = isZero(at: start, of: count)
            var end = start
            repeat {
                end = min(end + Self.blockByteCount, count)
            } while end < count && isZero(at: end, of: count) == isHole
            if !isHole {
                let bytes = unsafe chunk.span.bytes.extracting(start..<end)
                guard StoreFile.write(writing, bytes, at: byteCount + start, path: target) else {
                    throw LMDBError(code: errno, operation: "pwrite", path: target)
                }
            }
            start = end
        }
    }

    /// Returns whether the block at an offset of the chunk has only zeros. Pages begin with their numbers, so this usually ends
    /// at the first byte.
    private func isZero(at start: Int, of count: Int) -> Bool {
        unsafe chunk.withUnsafeBytes { bytes in
            unsafe bytes[start..<min(start + Self.blockByteCount, count)].allSatisfy { $0 == 0 }
        }
    }
}
