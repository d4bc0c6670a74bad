import LMDB

/// The net effect of one write closure on each record that it touched, in the order of first touch.
///
/// It keeps only the state before the closure and the newest state. Several writes to a record are therefore one change, and a
/// delete followed by an insert is an update. A record that ends in its initial state has no change.
struct NetChanges: ~Copyable {
    /// A run of bytes in the arena.
    struct Run {
        var start: Int
        var count: Int
    }

    /// The states of one record.
    struct Entry {
        let hash: UInt64
        /// The index of its type in the catalog.
        let type: Int
        let key: Run
        /// The record before the closure; nil if there was none.
        let before: Run?
        /// The current record; nil if there is none.
        var after: Run?
    }

    private(set) var entries: [Entry] = []
    private var arena = ByteWriter(capacity: 1_024)
    /// A hash table with open addressing and linear probing. A slot contains an index in `entries` plus one, or 0 if it is free.
    private var slots: [Int32] = Array(repeating: 0, count: 64)
    /// The number of entries that have a slot. A closure that only inserts never looks entries up, so its entries get no slots.
    private var placedCount = 0
    /// Whether a record may have been removed.
    private var hasRemoved = false
    /// The records that a migration has ended.
    private var replacements = Replacements()

    /// By how much the records become longer, in bytes; negative if they become shorter or fewer.
    ///
    /// - Complexity: O(number of records)
    var growthByteCount: Int {
        entries.reduce(0) { sum, entry in
            let before = entry.before.map { $0.count + entry.key.count } ?? 0
            let after = entry.after.map { $0.count + entry.key.count } ?? 0
            return sum + after - before
        }
    }

    /// The memory that the records take, in bytes.
    var byteCount: Int { arena.count }

    /// The hash and type that ``add(_:key:)`` needs besides the key, so that a lookup followed by an add hashes the record once.
    struct Address {
        fileprivate let type: Int
        fileprivate let hash: UInt64
    }

    /// Returns the address of a record, whether or not it has an entry.
    func address(type: Int, key: borrowing ByteWriter) -> Address {
        Address(type: type, hash: XXH64.hash(key.bytes, seed: UInt64(truncatingIfNeeded: type)))
    }

    /// Returns the index of the entry of a record that does not exist now; nil unless the closure has removed it.
    mutating func findRemoved(_ address: Address, key: borrowing ByteWriter) -> Int? {
        hasRemoved ? find(address, key: key) : nil
    }

    /// Returns the index of a record's entry; nil if it has none.
    mutating func find(_ address: Address, key writer: borrowing ByteWriter) -> Int? {
        if entries.isEmpty { return nil }
        placeAdded()
        let key = writer.bytes
        let (type, hash) = (address.type, address.hash)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash, entry.type == type, bytes(entry.key).isEqual(to: key) { return Int(slots[slot]) - 1 }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a record that did not exist before this closure.
    mutating func add(_ address: Address, key: borrowing ByteWriter) -> Int {
        add(address, key: key.bytes, before: nil)
    }

    /// Adds a record that this closure touches for the first time.
    mutating func add(_ address: Address, key: borrowing ByteWriter, before: borrowing ByteWriter) -> Int {
        add(address, key: key.bytes, before: before.bytes)
    }

    private mutating func add(_ address: Address, key: RawSpan, before: RawSpan?) -> Int {
        let keyRun = store(key)
        var beforeRun: Run?
        if let before { beforeRun = store(before) }
        entries.append(
            Entry(hash: address.hash, type: address.type, key: keyRun, before: beforeRun, after: beforeRun))
        return entries.count - 1
    }

    /// Notes the newest state of the record at `index`.
    mutating func set(_ index: Int, after record: borrowing FieldEncoder) {
        let after = record.bytes
        let old = entries[index].after
        // The state before must stay, so only a later one may be overwritten.
        if let old, old.count == after.byteCount, old.start != entries[index].before?.start {
            arena.overwrite(after, at: old.start)
        } else {
            entries[index].after = store(after)
        }
    }

    /// Notes that the record at `index` was removed.
    mutating func remove(_ index: Int) {
        entries[index].after = nil
        hasRemoved = true
    }

    /// Notes that the record at `index` ends, and that the entries from `start` on replace it.
    mutating func replace(_ index: Int, from start: Int) {
        replacements.note(end: index, inserts: start..<entries.count)
    }

    /// Returns the indexes of the entries in the order in which the change set lists them; nil for that of the first touch.
    ///
    /// - Parameter isSuccessor: whether the second type takes the place of the first one, so that records of both with the same
    ///   key have the same id. The parameters are indexes in the catalog.
    func replacementOrder(_ isSuccessor: (Int, Int) -> Bool) -> [Int]? {
        replacements.order(of: entries.indices) { index in
            bytes(entries[index].key).array()
        } isSuccessor: { end, insert in
            isSuccessor(entries[end].type, entries[insert].type)
        }
    }

    /// Returns the record at `index` before this closure; nil if there was none.
    func before(_ index: Int) -> [UInt8]? { entries[index].before.map { bytes($0).array() } }

    /// Returns the incarnation of the record at `index` before this closure; nil if the record did not exist.
    func incarnationBefore(_ index: Int) -> UInt64? {
        guard let before = entries[index].before else { return nil }
        return try? RecordBytes(unverified: bytes(before)).incarnation
    }

    /// Returns the bytes of a run.
    @_lifetime(borrow self)
    borrowing func bytes(_ run: Run) -> RawSpan { arena.bytes.extracting(run.start..<run.start + run.count) }

    private mutating func store(_ span: RawSpan) -> Run {
        let run = Run(start: arena.count, count: span.byteCount)
        arena.append(span)
        return run
    }

    /// Gives slots to the entries that were added since the last lookup.
    private mutating func placeAdded() {
        if entries.count * 2 > slots.count {
            var count = slots.count
            while entries.count * 2 > count { count *= 4 }
            slots = Array(repeating: 0, count: count)
            placedCount = 0
        }
        while placedCount < entries.count {
            place(entries[placedCount].hash, number: Int32(placedCount + 1))
            placedCount += 1
        }
    }

    private mutating func place(_ hash: UInt64, number: Int32) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = number
    }
}
