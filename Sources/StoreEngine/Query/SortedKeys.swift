/// The keys of found records in the order of their sort keys: all of them, or the first of a given number, of which no more
/// are kept.
struct SortedKeys: ~Copyable {
    /// A sort key, then the record's key, in the arena.
    private struct Entry {
        /// The sort key's beginning, which tells most apart.
        let word: UInt64
        let start: Int
        let sortCount: Int
        let keyCount: Int
    }

    private var entries: [Entry] = []
    private var arena = ByteWriter(capacity: 1_024)
    /// The bytes of the arena that entries use.
    private var usedCount = 0
    private let capacity: Int
    private let isIDDescending: Bool

    /// - Parameters:
    ///   - capacity: how many to keep at most.
    ///   - isIDDescending: in which direction ids order records that are equal otherwise.
    init(capacity: Int, isIDDescending: Bool) {
        self.capacity = capacity
        self.isIDDescending = isIDDescending
    }

    /// The greatest word that a sort key may begin with to be kept.
    var greatestWord: UInt64 { entries.count == capacity ? entries.first?.word ?? 0 : .max }

    /// Adds a record, and forgets the last one when there are too many.
    ///
    /// - Parameter word: what ``SortPart/word(_:_:)`` gives for the record's first part.
    mutating func add(word: UInt64, sortKey: borrowing ByteWriter, recordKey: RawSpan) {
        if capacity == 0 { return }
        let entry = Entry(
            word: word, start: arena.count, sortCount: sortKey.count, keyCount: recordKey.byteCount)
        arena.append(sortKey.bytes)
        arena.append(recordKey)
        guard entries.count == capacity else {
            usedCount += entry.sortCount + entry.keyCount
            entries.append(entry)
            // A heap only once it is full: until then nothing is forgotten.
            if entries.count == capacity {
                for index in stride(from: capacity / 2 - 1, through: 0, by: -1) { siftDown(index) }
            }
            return
        }
        guard Self.comes(entry, before: entries[0], arena, isIDDescending) else {
            arena.truncate(to: entry.start)
            return
        }
        usedCount += entry.sortCount + entry.keyCount - entries[0].sortCount - entries[0].keyCount
        entries[0] = entry
        siftDown(0)
        if arena.count > 4 * usedCount + 65_536 { compact() }
    }

    /// The record keys in order.
    consuming func finish() -> RecordKeyList {
        var sorted = entries
        let isIDDescending = isIDDescending
        let arena = arena
        sorted.sort { Self.comes($0, before: $1, arena, isIDDescending) }
        var list = RecordKeyList(byteCount: sorted.reduce(0) { $0 + $1.keyCount })
        for entry in sorted { list.append(Self.recordKey(entry, arena)) }
        return list
    }

    /// Restores the heap, whose first entry is the last in order.
    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if Self.comes(entries[last], before: entries[child], arena, isIDDescending) { last = child }
            }
            if last == parent { return }
            entries.swapAt(parent, last)
            parent = last
        }
    }

    /// Drops what forgotten entries have left in the arena.
    private mutating func compact() {
        var fresh = ByteWriter(capacity: 2 * usedCount)
        for (place, entry) in entries.enumerated() {
            let end = entry.start + entry.sortCount + entry.keyCount
            entries[place] = Entry(
                word: entry.word, start: fresh.count, sortCount: entry.sortCount, keyCount: entry.keyCount)
            fresh.append(entry.start..<end, of: arena)
        }
        arena = fresh
    }

    private static func comes(
        _ left: Entry, before right: Entry, _ arena: borrowing ByteWriter, _ isIDDescending: Bool
    ) -> Bool {
        if left.word != right.word { return left.word < right.word }
        let order = sortKey(left, arena).compared(to: sortKey(right, arena))
        if order != 0 { return order < 0 }
        let idOrder = recordKey(left, arena).compared(to: recordKey(right, arena))
        return isIDDescending ? idOrder > 0 : idOrder < 0
    }

    @_lifetime(borrow arena)
    private static func sortKey(_ entry: Entry, _ arena: borrowing ByteWriter) -> RawSpan {
        arena.bytes.extracting(entry.start..<entry.start + entry.sortCount)
    }

    @_lifetime(borrow arena)
    private static func recordKey(_ entry: Entry, _ arena: borrowing ByteWriter) -> RawSpan {
        let start = entry.start + entry.sortCount
        return arena.bytes.extracting(start..<start + entry.keyCount)
    }
}
