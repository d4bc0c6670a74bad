import LMDB

/// A set of the record keys that several walks have in common, or that at least one of them gives. Its memory is bounded.
struct RecordKeySet: ~Copyable {
    private struct Entry {
        let hash: UInt64
        let start: Int
        let count: Int
        /// The number of the last walk that led to the key, in an intersection. All earlier walks led to it too.
        var walk: Int
    }

    private var arena = ByteWriter(capacity: 4_096)
    private var entries: [Entry] = []
    /// A hash table with open addressing and linear probing. A slot holds an index in `entries` plus one; 0 marks a free slot.
    private var slots: [Int32] = Array(repeating: 0, count: 64)
    private let byteLimit: Int

    /// - Parameter byteLimit: the approximate memory limit in bytes.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Adds a key, or marks it.
    ///
    /// - Returns: false when the set has reached its limit.
    mutating func take(_ key: RawSpan, walk: Int, isMarking: Bool) -> Bool {
        guard isMarking else { return insert(key) }
        mark(key, walk: walk)
        return true
    }

    /// Adds a key, unless the set has it already.
    ///
    /// - Returns: false when the set has reached its limit.
    private mutating func insert(_ key: RawSpan) -> Bool {
        let hash = XXH64.hash(key)
        guard slots[slot(of: key, hash)] == 0 else { return true }
        let room = MemoryLayout<Entry>.stride + 2 * MemoryLayout<Int32>.stride
        guard arena.count + key.byteCount + (entries.count + 1) * room <= byteLimit else { return false }
        if (entries.count + 1) * 2 > slots.count { grow() }
        slots[slot(of: key, hash)] = Int32(entries.count + 1)
        entries.append(Entry(hash: hash, start: arena.count, count: key.byteCount, walk: 0))
        arena.append(key)
        return true
    }

    /// Records that walk number `walk` leads to a key, if all walks before it do.
    private mutating func mark(_ key: RawSpan, walk: Int) {
        let number = Int(slots[slot(of: key, XXH64.hash(key))]) - 1
        if number >= 0, entries[number].walk == walk - 1 { entries[number].walk = walk }
    }

    /// Returns the keys that walk number `walk` and all walks before it lead to, in ascending or descending order.
    consuming func finish(walk: Int, isBackward: Bool) -> RecordKeyList {
        var kept = entries.filter { $0.walk == walk }
        var list = RecordKeyList(byteCount: kept.reduce(0) { $0 + $1.count })
        unsafe arena.bytes.withUnsafeBytes { bytes in
            kept.sort { left, right in
                let (first, second) = isBackward ? (right, left) : (left, right)
                return unsafe RawSpan(_unsafeBytes: bytes).extracting(first.start..<first.start + first.count)
                    .compared(to: RawSpan(_unsafeBytes: bytes).extracting(second.start..<second.start + second.count))
                    < 0
            }
        }
        for entry in kept { list.append(arena.bytes.extracting(entry.start..<entry.start + entry.count)) }
        return list
    }

    private func slot(of key: RawSpan, _ hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash,
                arena.bytes.extracting(entry.start..<entry.start + entry.count).isEqual(to: key)
            {
                return slot
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: slots.count * 4)
        for (number, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(number + 1)
        }
    }
}
