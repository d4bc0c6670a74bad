import LMDB

/// Looks up the records of a list of keys in its order, and searches for the next ones together with one: they wait for memory
/// at once.
struct RecordLookup: ~Copyable, ~Escapable {
    /// Fewer are looked up one after the other, which takes less time then.
    private static let leastCount = 4

    private let scope: ReadContext
    private var found: FoundValues
    /// The places of the keys that were looked for.
    private var range = 0..<0

    @_lifetime(copy scope)
    init(_ scope: ReadContext) {
        self.scope = scope
        found = unsafe _overrideLifetime(FoundValues(), copying: scope)
    }

    /// Begins with another list.
    @_lifetime(self: copy self)
    mutating func startOver() { range = 0..<0 }

    /// The stored record under a key of the list, which an index leads to.
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func record(
        _ place: Int, of keys: borrowing RecordKeyList, _ type: OpenType
    ) throws(StoreError) -> RawSpan {
        if let record = found(place, of: keys, type) { return record }
        return try scope.indexedRecord(type, key: keys[place])
    }

    /// The stored record under a key of the list; nil where there is none.
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    mutating func find(
        _ place: Int, of keys: borrowing RecordKeyList, _ type: OpenType
    ) throws(StoreError) -> RawSpan? {
        if let record = found(place, of: keys, type) { return record }
        return try scope.value(type.database, key: keys[place])
    }

    /// The record among those that were looked for together; nil where that does not tell.
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    private mutating func found(_ place: Int, of keys: borrowing RecordKeyList, _ type: OpenType) -> RawSpan? {
        if !range.contains(place) {
            guard keys.count - place >= Self.leastCount else { return nil }
            range = place..<Swift.min(keys.count, place + FoundValues.capacity)
            keys.find(range, type.database, scope.snapshot, into: &found)
        }
        return unsafe _overrideLifetime(found[place - range.lowerBound], copying: scope)
    }
}
