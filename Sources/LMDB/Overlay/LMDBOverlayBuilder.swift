/// Builds an overlay from keys in any order.
package struct LMDBOverlayBuilder: ~Copyable {
    /// The differences in one database.
    private struct Draft {
        var entries: [OverlayEntry] = []
        var entryDelta = 0
    }

    /// Two entries were added under one key of a database.
    package struct Clash: Error {
        /// The database.
        package let database: LMDBDatabase
    }

    private let arena = OverlayArena()
    /// By the number of the database.
    private var drafts: [Draft] = []

    /// Creates a builder without differences.
    package init() {}

    /// Makes an entry of the snapshot absent, unless an entry is added under its key.
    package mutating func hide(_ database: LMDBDatabase, key: RawSpan) {
        append(database, arena.entry(key, value: nil), delta: -1)
    }

    /// Adds an entry under a key that the snapshot does not contain, or whose entry is hidden.
    package mutating func add(_ database: LMDBDatabase, key: RawSpan, value: RawSpan) {
        append(database, arena.entry(key, value: value), delta: 1)
    }

    /// Gives an entry of the snapshot another value.
    package mutating func replace(_ database: LMDBDatabase, key: RawSpan, value: RawSpan) {
        append(database, arena.entry(key, value: value), delta: 0)
    }

    private mutating func append(_ database: LMDBDatabase, _ entry: OverlayEntry, delta: Int) {
        let number = Int(database.handle)
        while drafts.count <= number { drafts.append(Draft()) }
        drafts[number].entries.append(entry)
        drafts[number].entryDelta += delta
    }

    /// Returns the overlay.
    ///
    /// - Throws: ``Clash`` if two entries were added under one key.
    package consuming func finish() throws(Clash) -> LMDBOverlay {
        var tables: [OverlayTable?] = []
        for number in drafts.indices {
            // Moved, not copied.
            var draft = Draft()
            swap(&draft, &drafts[number])
            guard let entries = Self.sorted(&draft.entries) else {
                throw Clash(database: LMDBDatabase(handle: UInt32(number)))
            }
            tables.append(entries.isEmpty ? nil : OverlayTable(entries: entries, entryDelta: draft.entryDelta))
        }
        return LMDBOverlay(tables: tables, arenas: [arena])
    }

    /// Returns the entries in the order of their keys, with each key once; nil if two entries were added under one key.
    private static func sorted(_ entries: inout [OverlayEntry]) -> [OverlayEntry]? {
        entries.sort { $0.order(to: $1.key) < 0 }
        var kept: [OverlayEntry] = []
        kept.reserveCapacity(entries.count)
        for entry in entries {
            guard let last = kept.last, last.order(to: entry.key) == 0 else {
                kept.append(entry)
                continue
            }
            if entry.isHidden { continue }
            guard last.isHidden else { return nil }
            kept[kept.count - 1] = entry
        }
        return kept
    }
}
