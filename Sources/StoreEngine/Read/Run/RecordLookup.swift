import LMDB

/// Looks up stored records by a list of their keys. Supports fetching; do not use it directly.
///
/// A lookup searches for the next records together with the wanted one, so that the waits for memory overlap.
@safe
@usableFromInline
struct RecordLookup: ~Copyable, ~Escapable {
    /// Below this number of keys, separate lookups are faster.
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

    /// Switches to another list of keys.
    @_lifetime(self: copy self)
    mutating func take(_ keys: RecordKeyList) {
        self.keys = keys
        range = 0..<0
    }

    /// The number of keys.
    @usableFromInline
    var count: Int { keys.count }

    /// Whether a key may be truncated, so that the keys may not be in the order of ids.
    var mayBeTruncated: Bool { keys.mayBeTruncated }

    /// Returns the key with a number.
    @usableFromInline
    @_lifetime(borrow self)
    borrowing func key(_ number: Int) -> RawSpan { keys[number] }

    /// Returns the stored record with a key that an index led to.
    @usableFromInline
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func record(_ number: Int) throws(StoreError) -> RawSpan {
        if let record = searched(number) { return record }
        return try scope.indexedRecord(type, key: keys[number])
    }

    /// Returns the stored record with a key; nil where there is none.
    @usableFromInline
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func find(_ number: Int) throws(StoreError) -> RawSpan? {
        if let record = searched(number) { return record }
        return try scope.value(type.database, key: keys[number])
    }

    /// Returns the record if the last joint search found it. Nil does not mean that the record is missing.
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
