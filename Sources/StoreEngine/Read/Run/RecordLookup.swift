import LMDB

/// Stored records by a list of their keys. Support for fetching; nothing to use directly.
///
/// With one record it searches for the next ones: they wait for memory at once.
@safe
@usableFromInline
struct RecordLookup: ~Copyable, ~Escapable {
    /// Fewer are looked up one after the other, which takes less time then.
    private static let leastCount = 4

    private let scope: ReadContext
    private let type: OpenType
    private var keys: RecordKeyList
    private var found: FoundValues
    /// The numbers of the keys that were searched for together.
    private var range = 0..<0

    @_lifetime(copy scope)
    init(_ scope: ReadContext, _ type: OpenType, _ keys: RecordKeyList = RecordKeyList(byteCount: 0)) {
        self.scope = scope
        self.type = type
        self.keys = keys
        found = unsafe _overrideLifetime(FoundValues(), copying: scope)
    }

    /// Goes over to another list.
    @_lifetime(self: copy self)
    mutating func take(_ keys: RecordKeyList) {
        self.keys = keys
        range = 0..<0
    }

    /// How many keys there are.
    @usableFromInline
    var count: Int { keys.count }

    /// Whether one of the keys may be truncated, so that they need not come in the order of ids.
    var mayBeTruncated: Bool { keys.mayBeTruncated }

    /// A key by its number.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func key(_ number: Int) -> RawSpan { keys[number] }

    /// The stored record under a key that an index leads to.
    @usableFromInline
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func record(_ number: Int) throws(StoreError) -> RawSpan {
        if let record = searched(number) { return record }
        return try scope.indexedRecord(type, key: keys[number])
    }

    /// The stored record under a key; nil where there is none.
    @usableFromInline
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func find(_ number: Int) throws(StoreError) -> RawSpan? {
        if let record = searched(number) { return record }
        return try scope.value(type.database, key: keys[number])
    }

    /// The record among those that were searched for together; nil where that does not tell.
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    private mutating func searched(_ number: Int) -> RawSpan? {
        if !range.contains(number) {
            guard keys.count - number >= Self.leastCount else { return nil }
            range = number..<Swift.min(keys.count, number + FoundValues.capacity)
            keys.find(range, type.database, scope.snapshot, into: &found)
        }
        return unsafe _overrideLifetime(found[number - range.lowerBound], copying: scope)
    }
}
