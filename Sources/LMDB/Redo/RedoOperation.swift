/// One operation in the bytes of an entry.
struct RedoOperation {
    let kind: RedoOperations.Kind
    let database: Int
    let key: Range<Int>
    let value: Range<Int>

    /// Reads the operation at an offset; nil if there is none.
    init?(in bytes: [UInt8], at offset: Int, end: Int) {
        guard end <= bytes.count, end - offset >= RedoOperations.headerByteCount,
            let kind = RedoOperations.Kind(rawValue: bytes[offset])
        else { return nil }
        let keyCount = Int(bytes.integer(at: offset + 2, as: UInt16.self))
        let valueCount = Int(bytes.integer(at: offset + 4, as: UInt32.self))
        let start = offset + RedoOperations.headerByteCount
        guard end - start >= keyCount + valueCount else { return nil }
        self.kind = kind
        database = Int(bytes[offset + 1])
        key = start..<start + keyCount
        value = key.upperBound..<key.upperBound + valueCount
    }
}
