/// The length limits of keys. LMDB accepts keys of 1 to 511 bytes, and an index entry's key contains a value part and a record
/// key.
///
/// A longer key keeps its first bytes and ends with a 16-byte hash of the whole key (``KeyHash``). Such keys still sort by their
/// first bytes. The store checks equality against the record, so a hash collision never gives a wrong answer.
package enum KeyLimit {
    /// The maximum length of a record's key in bytes.
    package static let recordKey = 255
    /// The maximum length of the value part of an index entry's key in bytes. A part of exactly this length is truncated.
    package static let indexValue = 256

    static let hashByteCount = 16
    /// The number of bytes of a record's key that truncation keeps. Keys that differ in these bytes have the order of the ids.
    package static let recordKeyBeginning = recordKey - hashByteCount
    /// The number of bytes of an index entry's value part that truncation keeps.
    static let indexValueBeginning = indexValue - hashByteCount

    /// Truncates the bytes of `writer` from `start` if they exceed `limit`.
    ///
    /// - Returns: whether it truncated them.
    @inline(__always)
    @discardableResult
    private static func truncate(_ writer: inout ByteWriter, from start: Int, limit: Int, _ hash: KeyHash) -> Bool {
        guard writer.count - start > limit else { return false }
        hash.cut(&writer, from: start, keeping: limit - hashByteCount)
        return true
    }

    /// Truncates a record key. The limit is one byte less than that of an index value, so that a full-length key is never
    /// mistaken for a truncated one.
    @inline(__always)
    package static func truncateRecordKey(_ writer: inout ByteWriter, _ hash: KeyHash) {
        truncate(&writer, from: 0, limit: recordKey, hash)
    }

    /// Truncates the value part of an index entry to exactly ``indexValue`` bytes. Parts that are not truncated have at least one
    /// byte less.
    ///
    /// - Returns: whether it truncated the part.
    @inline(__always)
    package static func truncateIndexValue(_ writer: inout ByteWriter, from start: Int, _ hash: KeyHash) -> Bool {
        guard writer.count - start >= indexValue else { return false }
        if writer.count - start == indexValue { writer.append(byte: 0) }
        return truncate(&writer, from: start, limit: indexValue, hash)
    }
}
