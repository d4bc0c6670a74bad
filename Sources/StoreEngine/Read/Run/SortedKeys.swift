/// The keys of found records in the order of their sort keys: all of them, or the first of a given number, of which no more
/// are kept.
struct SortedKeys: ~Copyable {
    /// A sort key, then the record's key, in the arena. Where that key is truncated the whole key of the id stands before it.
    private struct Entry {
        /// The sort key's beginning, which tells most apart.
        let word: UInt64
        let start: Int
        let sortCount: Int
        /// How long the key of the id is.
        let idCount: Int

        var sortKey: Range<Int> { start..<start + sortCount }
        var idKey: Range<Int> { sortKey.upperBound..<sortKey.upperBound + idCount }
        var recordKey: Range<Int> {
            idCount > KeyLimit.recordKey ? idKey.upperBound..<idKey.upperBound + KeyLimit.recordKey : idKey
        }
        var all: Range<Int> { start..<recordKey.upperBound }

        /// The same where the arena has it elsewhere.
        func moved(to start: Int) -> Entry { Entry(word: word, start: start, sortCount: sortCount, idCount: idCount) }
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
    /// - Parameters:
    ///   - word: what ``SortWord`` gives for the record's first part.
    ///   - longID: what ``OpenType/longID(of:_:)`` gives for the record.
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
        usedCount += entry.all.count - entries[0].all.count
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
        var list = RecordKeyList(byteCount: sorted.reduce(0) { $0 + $1.recordKey.count })
        for entry in sorted { list.append(arena.bytes.extracting(entry.recordKey)) }
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
