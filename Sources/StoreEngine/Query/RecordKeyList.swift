/// Record keys in one buffer, one behind the other.
struct RecordKeyList: ~Copyable {
    private var bytes: ByteWriter
    private var ends: [Int] = []

    init(byteCount: Int = 64) { bytes = ByteWriter(capacity: byteCount) }

    var count: Int { ends.count }

    mutating func append(_ key: RawSpan) {
        bytes.append(key)
        ends.append(bytes.count)
    }

    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self)
        borrowing get { bytes.bytes.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index]) }
    }
}
