import LMDB

/// A list of record keys in one buffer. Supports fetching; do not use it directly.
@usableFromInline
struct RecordKeyList: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// Whether a key may be truncated, so that the keys may not be in the order of ids.
    private(set) var mayBeTruncated = false

    /// Creates an empty list with room for `count` keys of `byteCount` bytes in total, before it grows.
    init(byteCount: Int = 64, count: Int = 0) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(count)
    }

    @usableFromInline
    var count: Int { ends.count }

    /// Copies a key to the end of `writer`.
    @usableFromInline
    func copy(_ index: Int, to writer: inout ByteWriter) { writer.append(self[index]) }

    mutating func append(_ key: RawSpan) {
        unsafe key.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        if key.byteCount == KeyLimit.recordKey { mayBeTruncated = true }
        ends.append(bytes.count)
    }

    /// Looks up the values of several keys at once.
    @_lifetime(values: copy snapshot)
    func find(
        _ range: Range<Int>, _ database: LMDBDatabase, _ snapshot: borrowing LMDBSnapshot,
        into values: inout FoundValues
    ) {
        unsafe snapshot.find(database, keys: bytes.span.bytes, ends: ends.span, range, into: &values)
    }

    subscript(index: Int) -> RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe bytes.span.bytes.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index]) }
    }
}
