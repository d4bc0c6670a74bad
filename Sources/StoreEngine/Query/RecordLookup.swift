import LMDB

/// Looks up the records of a list of keys one after the other, and looks for the next ones together with each: what one of
/// them waits for, all wait for at once.
struct RecordLookup: ~Copyable, ~Escapable {
    private let scope: ReadingScope
    private var found: FoundValues
    /// The places of the keys that were looked for.
    private var range = 0..<0

    @_lifetime(copy scope)
    init(_ scope: ReadingScope) {
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
        if !range.contains(place) {
            range = place..<Swift.min(keys.count, place + FoundValues.capacity)
            found = unsafe _overrideLifetime(keys.find(range, type.database, scope.snapshot), copying: scope)
        }
        if let record = found[place - range.lowerBound] { return unsafe _overrideLifetime(record, copying: scope) }
        return try scope.indexedRecord(type, key: keys[place])
    }
}
