/// The keys that may be below an entry of a branch: from `low` on, and before `high`. Nil stands for no limit.
///
/// The bytes are in the map, and stay as long as the snapshot.
@safe
struct KeyBounds {
    var low: UnsafeRawBufferPointer?
    var high: UnsafeRawBufferPointer?

    /// The bounds of the root.
    static var all: KeyBounds { unsafe KeyBounds() }

    init(low: UnsafeRawBufferPointer? = nil, high: UnsafeRawBufferPointer? = nil) {
        unsafe self.low = low
        unsafe self.high = high
    }

    /// Returns whether a position is inside.
    func contains(_ position: TreePosition) -> Bool {
        switch position {
        case .first: unsafe low == nil
        case .last: unsafe high == nil
        case .key(let key): unsafe contains(MappedTree.Key(key))
        }
    }

    /// Returns whether a key in the order of bytes is inside.
    @inline(__always)
    func contains(_ key: MappedTree.Key) -> Bool {
        if let low = unsafe low, unsafe key.order(ofKey: low.baseAddress.unsafelyUnwrapped, low.count) > 0 {
            return false
        }
        if let high = unsafe high, unsafe key.order(ofKey: high.baseAddress.unsafelyUnwrapped, high.count) <= 0 {
            return false
        }
        return true
    }
}
