/// The net effect of one write closure on each record it touched, in the order of first touch.
///
/// Only the state before the closure and the newest one are kept: several writes to a record are one change, a delete
/// and an insert are an update, and what ends as it began is no change.
struct NetChanges: ~Copyable {
    /// A run of bytes in the arena.
    struct Run {
        var start: Int
        var count: Int
    }

    /// One record.
    struct Entry {
        let hash: UInt64
        /// The place of its type in the catalog.
        let type: Int
        let key: Run
        /// The record before the closure, nil when there was none.
        let before: Run?
        /// The record now, nil when there is none.
        var after: Run?
    }

    private(set) var entries: [Entry] = []
    private var arena = ByteWriter(capacity: 1_024)
    /// Open addressing with linear probing: the place in `entries` plus one, 0 for a free slot.
    private var slots: [Int32] = Array(repeating: 0, count: 64)
    /// How many of the entries have a slot. Those of a closure that only inserts are never looked for, and get none.
    private var placedCount = 0
    /// Whether a record may have been removed.
    private var hasRemoved = false

    /// The bytes that the records take in memory.
    var byteCount: Int { arena.count }

    /// What ``add(_:key:)`` needs besides the key, so that a record that is looked up and added is hashed once.
    struct Address {
        fileprivate let type: Int
        fileprivate let hash: UInt64
    }

    /// Where a record is or would be.
    func address(type: Int, key: borrowing ByteWriter) -> Address {
        Address(type: type, hash: XXH64.hash(key.bytes, seed: UInt64(truncatingIfNeeded: type)))
    }

    /// The place among the entries of a record that is not there now: nil unless the closure has removed it.
    mutating func findRemoved(_ address: Address, key: borrowing ByteWriter) -> Int? {
        hasRemoved ? find(address, key: key) : nil
    }

    /// The place of a record among the entries.
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

    /// Adds a record that was not there before this closure.
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

    /// Notes that the record at `index` is gone.
    mutating func remove(_ index: Int) {
        entries[index].after = nil
        hasRemoved = true
    }

    /// The incarnation that the record at `index` had before this closure, nil when it was not there.
    func incarnationBefore(_ index: Int) -> UInt64? {
        guard let before = entries[index].before else { return nil }
        return try? RecordBytes(unverified: bytes(before)).incarnation
    }

    /// The bytes of a run.
    @_lifetime(borrow self)
    borrowing func bytes(_ run: Run) -> RawSpan { arena.bytes.extracting(run.start..<run.start + run.count) }

    private mutating func store(_ span: RawSpan) -> Run {
        let run = Run(start: arena.count, count: span.byteCount)
        arena.append(span)
        return run
    }

    /// Gives the entries slots that were added since the last look.
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
