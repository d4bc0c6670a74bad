/// The lengths of keys. LMDB takes keys of 1 to 511 bytes; an index entry's key holds a value part and a record key.
///
/// A longer key keeps its first bytes and ends in a 16-byte hash of the whole. Such keys still sort by their first
/// bytes, and equality is checked against the record, so a clash of hashes never gives a wrong answer.
package enum KeyLimit {
    /// The most bytes of a record's key.
    package static let recordKey = 255
    /// The most bytes of the value part of an index entry's key. A part of exactly this length is a truncated one.
    package static let indexValue = 256

    static let hashByteCount = 16
    /// The bytes of a record's key that no truncation changes. Keys that differ in them come in the order of the ids.
    package static let recordKeyBeginning = recordKey - hashByteCount
    /// The bytes of an index entry's value part that no truncation changes.
    static let indexValueBeginning = indexValue - hashByteCount

    /// Truncates what `writer` holds from `start` on when it is longer than `limit` allows.
    ///
    /// - Returns: whether it was truncated.
    @discardableResult
    package static func truncate(_ writer: inout ByteWriter, from start: Int, limit: Int) -> Bool {
        guard writer.count - start > limit else { return false }
        let first = hash(writer.bytes.extracting(start..<writer.count), seed: 0)
        let second = hash(writer.bytes.extracting(start..<writer.count), seed: 0x9E37_79B9_7F4A_7C15)
        writer.truncate(to: start + limit - hashByteCount)
        writer.append(bigEndian: first)
        writer.append(bigEndian: second)
        return true
    }

    private static func hash(_ whole: RawSpan, seed: UInt64) -> UInt64 { XXH64.hash(whole, seed: seed) }

    /// Truncates a record key. Its longest form is one byte shorter than an index value's, so that no full-length key
    /// is mistaken for a truncated one.
    package static func truncateRecordKey(_ writer: inout ByteWriter, from start: Int = 0) {
        truncate(&writer, from: start, limit: recordKey)
    }

    /// Truncates an index value part: to exactly ``indexValue`` bytes, where others have at most one less.
    ///
    /// - Returns: whether it was truncated.
    package static func truncateIndexValue(_ writer: inout ByteWriter, from start: Int) -> Bool {
        guard writer.count - start >= indexValue else { return false }
        if writer.count - start == indexValue { writer.append(byte: 0) }
        return truncate(&writer, from: start, limit: indexValue)
    }
}
