import Foundation

/// The keys of found records in the order of their sort keys: all of them, or the first of a given number, of which no more
/// are kept.
struct SortedKeys: ~Copyable {
    /// A sort key, then the record's key.
    private struct Entry {
        let bytes: [UInt8]
        let sortCount: Int
    }

    private var entries: [Entry] = []
    private let capacity: Int
    private let isIDDescending: Bool

    /// - Parameters:
    ///   - capacity: how many to keep at most.
    ///   - isIDDescending: in which direction ids order records that are equal otherwise.
    init(capacity: Int, isIDDescending: Bool) {
        self.capacity = capacity
        self.isIDDescending = isIDDescending
    }

    /// Adds a record, and forgets the last one when there are too many.
    mutating func add(sortKey: borrowing ByteWriter, recordKey: RawSpan) {
        if capacity == 0 { return }
        if entries.count == capacity, !Self.comes(sortKey.bytes, recordKey, before: entries[0], isIDDescending) {
            return
        }
        let entry = Entry(bytes: sortKey.array() + recordKey.array(), sortCount: sortKey.count)
        if entries.count < capacity {
            entries.append(entry)
            // A heap only once it is full: until then nothing is forgotten.
            if entries.count == capacity {
                for index in stride(from: capacity / 2 - 1, through: 0, by: -1) { siftDown(index) }
            }
        } else {
            entries[0] = entry
            siftDown(0)
        }
    }

    /// The record keys in order.
    consuming func finish() -> [[UInt8]] {
        let isIDDescending = isIDDescending
        entries.sort { Self.comes($0, before: $1, isIDDescending) }
        return entries.map { Array($0.bytes[$0.sortCount...]) }
    }

    /// Restores the heap, whose first entry is the last in order.
    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var last = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if Self.comes(entries[last], before: entries[child], isIDDescending) { last = child }
            }
            if last == parent { return }
            entries.swapAt(parent, last)
            parent = last
        }
    }

    private static func comes(_ left: Entry, before right: Entry, _ isIDDescending: Bool) -> Bool {
        let bytes = unsafe left.bytes.span.bytes
        return comes(
            bytes.extracting(0..<left.sortCount), bytes.extracting(left.sortCount..<bytes.byteCount), before: right,
            isIDDescending)
    }

    private static func comes(
        _ sortKey: RawSpan, _ recordKey: RawSpan, before other: Entry, _ isIDDescending: Bool
    ) -> Bool {
        let bytes = unsafe other.bytes.span.bytes
        let order = sortKey.compared(to: bytes.extracting(0..<other.sortCount))
        if order != 0 { return order < 0 }
        let idOrder = recordKey.compared(to: bytes.extracting(other.sortCount..<bytes.byteCount))
        return isIDDescending ? idOrder > 0 : idOrder < 0
    }
}
