/// The slots of some live requests, ascending. Most lists are short.
struct SlotList: Sendable {
    private(set) var slots: [Int32]

    /// - Parameter slots: distinct slots, ascending.
    init(_ slots: [Int32] = []) { self.slots = slots }

    /// Adds a slot that is not in the list.
    mutating func insert(_ slot: Int32) { slots.insert(slot, at: index(of: slot)) }

    /// Removes a slot that is in the list.
    mutating func remove(_ slot: Int32) { slots.remove(at: index(of: slot)) }

    private func index(of slot: Int32) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle] < slot { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Lists of slots by key. The table is never iterated, so the order of its hash table has no effect.
struct SlotTable<Key: Hashable & Sendable>: Sendable {
    private var lists: [Key: SlotList] = [:]

    var isEmpty: Bool { lists.isEmpty }

    subscript(key: Key) -> [Int32] { lists[key]?.slots ?? [] }

    mutating func insert(_ slot: Int32, at key: Key) {
        if lists[key]?.insert(slot) == nil { lists[key] = SlotList([slot]) }
    }

    mutating func remove(_ slot: Int32, at key: Key) {
        lists[key]?.remove(slot)
        if lists[key]?.slots.isEmpty == true { lists[key] = nil }
    }
}
