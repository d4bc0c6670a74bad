/// Record keys in one buffer, one behind the other.
struct RecordKeyList: ~Copyable {
    private var bytes: ByteWriter
    private var ends: [Int] = []
    /// Whether one of them may be truncated, so that they need not come in the order of ids.
    private(set) var mayBeTruncated = false

    init(byteCount: Int = 64) { bytes = ByteWriter(capacity: byteCount) }

    var count: Int { ends.count }

    mutating func append(_ key: RawSpan) {
        bytes.append(key)
        if key.byteCount == KeyLimit.recordKey { mayBeTruncated = true }
        ends.append(bytes.count)
    }

    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self)
        borrowing get { bytes.bytes.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index]) }
    }
}
