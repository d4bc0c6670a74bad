/// The keys of found records in the order of their sort keys. It keeps all keys, or only the first `capacity` of them.
struct SortedKeys: ~Copyable {
    /// Describes a sort key and the record's key in the arena. If the record's key is truncated, the whole key of the id comes
    /// before it.
    private struct Entry {
        /// The first bytes of the sort key. They decide most comparisons.
        let word: UInt64
        let start: Int
        let sortCount: Int
        /// The length of the id's key in bytes.
        let idCount: Int

        var sortKey: Range<Int> { start..<start + sortCount }
        var idKey: Range<Int> { sortKey.upperBound..<sortKey.upperBound + idCount }
        var recordKey: Range<Int> {
            idCount > KeyLimit.recordKey ? idKey.upperBound..<idKey.upperBound + KeyLimit.recordKey : idKey
        }
        var all: Range<Int> { start..<recordKey.upperBound }

        /// Returns the same entry at another offset in the arena.
        func moved(to start: Int) -> Entry { Entry(word: word, start: start, sortCount: sortCount, idCount: idCount) }
    }

    private var entries: [Entry] = []
    private var arena = ByteWriter(capacity: 1_024)
    /// The number of bytes in the arena that entries use.
    private var usedCount = 0
    private let capacity: Int
    private let isIDDescending: Bool

    /// - Parameters:
    ///   - capacity: the most keys to keep.
    ///   - isIDDescending: the direction of ids among records that are otherwise equal.
    init(capacity: Int, isIDDescending: Bool) {
        self.capacity = capacity
        self.isIDDescending = isIDDescending
    }

    /// The greatest first word of a sort key that can still be kept.
    var greatestWord: UInt64 { entries.count == capacity ? entries.first?.word ?? 0 : .max }

    /// Adds a record, and drops the last one when the capacity is exceeded.
    ///
    /// - Parameters:
    ///   - word: the result of ``SortWord`` for the record's first sort field.
    ///   - longID: the result of ``OpenType/longID(of:_:)`` for the record.
    mutating func add(word: UInt64, sortKey: borrowing ByteWriter, recordKey: RawSpan, longID: [UInt8]?) {
        if capacity == 0 { return }
        let entry = Entry(
            word: word, start: arena.count, sortCount: sortKey.count, idCount: longID?.count ?? recordKey.byteCount)
        arena.append(sortKey.bytes)
        if let longID { arena.append(longID) }
        arena.append(recordKey)
        guard entries.count == capacity else {
            usedCount += entry.all.count
            entries.append(entry)
            // The heap is built only when it is full, because nothing is dropped before that.
            if entries.count == capacity {
                for index in stride(from: capacity / 2 - 1, through: 0, by: -1) { siftDown(index) }
            }
            return
        }
        guard Self.comes(entry, before: entries[0], arena, isIDDescending) else {
            arena.truncate(to: entry.start)
            return
        }
        usedCount += entry.all.count - entries[0].all.count
        entries[0] = entry
        siftDown(0)
        if arena.count > 4 * usedCount + 65_536 { compact() }
    }

    /// Returns the record keys in order.
    consuming func finish() -> RecordKeyList {
        var sorted = entries
        let isIDDescending = isIDDescending
        let arena = arena
        sorted.sort { Self.comes($0, before: $1, arena, isIDDescending) }
        var list = RecordKeyList(byteCount: sorted.reduce(0) { $0 + $1.recordKey.count })
        for entry in sorted { list.append(arena.bytes.extracting(entry.recordKey)) }
        return list
    }

    /// Restores the heap. Its first entry is the last one in the order.
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

    /// Removes the bytes of dropped entries from the arena.
    private mutating func compact() {
        var fresh = ByteWriter(capacity: 2 * usedCount)
        for (number, entry) in entries.enumerated() {
            entries[number] = entry.moved(to: fresh.count)
            fresh.append(entry.all, of: arena)
        }
        arena = fresh
    }

    private static func comes(
        _ left: Entry, before right: Entry, _ arena: borrowing ByteWriter, _ isIDDescending: Bool
    ) -> Bool {
        if left.word != right.word { return left.word < right.word }
        let bytes = arena.bytes
        let order = bytes.extracting(left.sortKey).compared(to: bytes.extracting(right.sortKey))
        if order != 0 { return order < 0 }
        let idOrder = bytes.extracting(left.idKey).compared(to: bytes.extracting(right.idKey))
        return isIDDescending ? idOrder > 0 : idOrder < 0
    }
}
