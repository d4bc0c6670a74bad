/// Another state of some databases, as what differs in it from the state that a snapshot holds: which keys have another
/// value there, and which are absent.
///
/// Once it is laid over a read transaction, all that the transaction gives is of that state. It does not change; its bytes
/// stay where they are for as long as it lives, which is at least as long as a transaction that it lies over.
package final class LMDBOverlay: Sendable {
    /// By the number of the database; nil for those in which nothing differs.
    private let tables: [OverlayTable?]
    /// What holds the bytes of all entries.
    private let arenas: [OverlayArena]

    /// So many arenas are kept apart before their contents are brought together.
    private static let maximumArenas = 32

    init(tables: [OverlayTable?], arenas: [OverlayArena]) {
        self.tables = tables
        self.arenas = arenas
    }

    /// What differs in a database; nil for nothing.
    @inline(__always)
    func table(_ database: LMDBDatabase) -> OverlayTable? {
        let number = Int(database.handle)
        return number < tables.count ? tables[number] : nil
    }

    /// The keys that have another value or are absent, in all databases.
    package var entryCount: Int { tables.reduce(0) { $0 + ($1?.entries.count ?? 0) } }

    /// Checks that the entries of each database are in ascending order of their keys, each key once. Tests call it; it is empty in
    /// release builds.
    ///
    /// - Complexity: O(n)
    package func _checkInvariants() {
        #if DEBUG
        for case let table? in tables {
            for number in table.entries.indices.dropFirst() {
                precondition(
                    table.entries[number - 1].order(to: table.entries[number].key) < 0,
                    "the keys of the entries \(number - 1) and \(number) are not in ascending order")
            }
        }
        #endif
    }

    /// The memory that it takes.
    package var byteCount: Int {
        arenas.reduce(entryCount * MemoryLayout<OverlayEntry>.stride) { $0 + $1.byteCount }
    }

    /// The same state as what differs in it from a newer one.
    ///
    /// Linear in the number of entries; their bytes are shared.
    ///
    /// - Parameter newer: the state that this one lies over, as what differs in it from the newer one.
    package func combined(over newer: LMDBOverlay) -> LMDBOverlay {
        if newer.entryCount == 0 { return self }
        var merged: [OverlayTable?] = []
        for number in 0..<max(tables.count, newer.tables.count) {
            let own = number < tables.count ? tables[number] : nil
            let other = number < newer.tables.count ? newer.tables[number] : nil
            if let own, let other {
                merged.append(own.merged(over: other))
            } else {
                merged.append(own ?? other)
            }
        }
        let all = arenas + newer.arenas
        guard all.count > Self.maximumArenas else { return LMDBOverlay(tables: merged, arenas: all) }
        let arena = OverlayArena()
        return LMDBOverlay(tables: merged.map { $0?.copied(to: arena) }, arenas: [arena])
    }
}

/// What differs in one database.
final class OverlayTable: Sendable {
    /// In the order of the keys; each key once.
    let entries: [OverlayEntry]
    /// How many entries the database has more than in the snapshot.
    let entryDelta: Int

    init(entries: [OverlayEntry], entryDelta: Int) {
        self.entries = entries
        self.entryDelta = entryDelta
    }

    /// The entry with this key; nil where the database has there what the snapshot has.
    func find(_ key: RawSpan) -> OverlayEntry? {
        let index = lowerBound(key)
        guard index < entries.count, entries[index].order(to: key) == 0 else { return nil }
        return entries[index]
    }

    /// The place of the first entry whose key is not less than this one.
    func lowerBound(_ key: RawSpan) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].order(to: key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func merged(over newer: OverlayTable) -> OverlayTable {
        var merged: [OverlayEntry] = []
        merged.reserveCapacity(entries.count + newer.entries.count)
        var (own, other) = (0, 0)
        while own < entries.count, other < newer.entries.count {
            let order = entries[own].order(to: newer.entries[other].key)
            // Where both have a key, the older state counts.
            merged.append(order <= 0 ? entries[own] : newer.entries[other])
            if order <= 0 { own += 1 }
            if order >= 0 { other += 1 }
        }
        merged += entries[own...]
        merged += newer.entries[other...]
        return OverlayTable(entries: merged, entryDelta: entryDelta + newer.entryDelta)
    }

    fileprivate func copied(to arena: OverlayArena) -> OverlayTable {
        let copies = entries.map { entry in
            entry.isHidden ? arena.entry(entry.key, value: nil) : arena.entry(entry.key, value: entry.value)
        }
        return OverlayTable(entries: copies, entryDelta: entryDelta)
    }
}
