/// Another state of some databases, as the difference from the state of a snapshot: the keys with another value, and the absent
/// keys.
///
/// A read transaction with an overlay returns the state of the overlay. An overlay never changes. Its bytes stay at their
/// addresses as long as it exists, which is at least as long as a transaction that uses it.
package final class LMDBOverlay: Sendable {
    /// By the number of the database; nil for databases without differences.
    private let tables: [OverlayTable?]
    /// The owners of the bytes of all entries.
    private let arenas: [OverlayArena]

    /// The maximum number of arenas before their contents are merged into one.
    private static let maximumArenas = 32

    init(tables: [OverlayTable?], arenas: [OverlayArena]) {
        self.tables = tables
        self.arenas = arenas
    }

    /// Returns the differences in a database; nil if there are none.
    @inline(__always)
    func table(_ database: LMDBDatabase) -> OverlayTable? {
        let number = Int(database.handle)
        return number < tables.count ? tables[number] : nil
    }

    /// The number of keys, in all databases, that have another value or are absent.
    package var entryCount: Int { tables.reduce(0) { $0 + ($1?.entries.count ?? 0) } }

    /// Checks that the entries of each database are in ascending order of their keys, each key once. Tests call it; it is empty
    /// in release builds.
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

    /// The memory that the overlay takes.
    package var byteCount: Int {
        arenas.reduce(entryCount * MemoryLayout<OverlayEntry>.stride) { $0 + $1.byteCount }
    }

    /// Returns the same state as the difference from a newer state.
    ///
    /// Linear in the number of entries. Their bytes are shared.
    ///
    /// - Parameter newer: the base state of this overlay, as the difference from the newer state.
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

/// The differences in one database.
final class OverlayTable: Sendable {
    /// In the order of the keys. Each key occurs once.
    let entries: [OverlayEntry]
    /// How many entries the database has in addition to those of the snapshot.
    let entryDelta: Int

    init(entries: [OverlayEntry], entryDelta: Int) {
        self.entries = entries
        self.entryDelta = entryDelta
    }

    /// Returns the entry with this key; nil if the key has its value from the snapshot.
    func find(_ key: RawSpan) -> OverlayEntry? {
        let index = lowerBound(key)
        guard index < entries.count, entries[index].order(to: key) == 0 else { return nil }
        return entries[index]
    }

    /// Returns the index of the first entry whose key is not less than this one.
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
            // If both contain a key, the older state takes precedence.
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
