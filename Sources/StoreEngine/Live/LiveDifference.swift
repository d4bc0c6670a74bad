/// What leads from one result to a later one, by records.
///
/// Applied in this order: the deleted and the moved rows are taken out of the old rows, those are put in at their new indexes
/// together with the inserted ones, ascending, and the updated ones get their new content. Rows that merely shift are not
/// told. Any two results of one request may be compared, with any number of steps between them.
package struct LiveDifference: Hashable, Sendable {
    /// A row that stands elsewhere among the others.
    package struct Move: Hashable, Sendable {
        /// Where it was in the old rows.
        package let from: Int
        /// Where it is in the new rows.
        package let to: Int
    }

    /// A row, moved or not, whose record changed.
    package struct Update: Hashable, Sendable {
        /// Where it was in the old rows.
        package let from: Int
        /// Where it is in the new rows.
        package let to: Int
        /// The fields that changed: all of them for another incarnation.
        package let changedPlaces: PlaceSet
        /// Whether it is another record with the same id: deleted and inserted again.
        package let isReplaced: Bool
    }

    /// The rows that are gone, by their indexes in the old rows, ascending.
    package private(set) var deletes: [Int] = []
    /// The rows that are new, by their indexes in the new rows, ascending.
    package private(set) var inserts: [Int] = []
    /// The rows that stand elsewhere among the others, by their new indexes, ascending.
    package private(set) var moves: [Move] = []
    /// The rows that changed, by their new indexes, ascending.
    package private(set) var updates: [Update] = []

    /// Whether nothing is different.
    package var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    /// Compares two results.
    ///
    /// - Parameter fields: the fields whose changes are told; nil for all.
    /// - Complexity: O(chunks of rows), and O(d log d) for the d rows in the chunks that differ.
    package init(from old: LiveRows, to new: LiveRows, fields: PlaceSet? = nil) {
        var walk = DifferenceWalk(old, new)
        walk.run()
        var departures: [[UInt8]: Int] = [:]
        for (number, gone) in walk.gone.enumerated() { departures[gone.row.key] = number }
        var isKept = Array(repeating: false, count: walk.gone.count)
        var survivors: [Survivor] = []
        for arrived in walk.arrived {
            if let number = departures[arrived.row.key] {
                isKept[number] = true
                survivors.append(Survivor(old: walk.gone[number], new: arrived))
            } else {
                inserts.append(arrived.index)
            }
        }
        deletes = zip(walk.gone, isKept).compactMap { $1 ? nil : $0.index }
        survivors.sort { $0.old.index < $1.old.index }
        let staying = Self.staying(survivors)
        for (survivor, stays) in zip(survivors, staying) {
            if !stays { moves.append(Move(from: survivor.old.index, to: survivor.new.index)) }
            note(survivor.old, survivor.new, fields)
        }
        for (old, new) in walk.changed { note(old, new, fields) }
        moves.sort { $0.to < $1.to }
        updates.sort { $0.to < $1.to }
    }

    private mutating func note(_ old: DifferenceWalk.Entry, _ new: DifferenceWalk.Entry, _ fields: PlaceSet?) {
        if old.row.content.isEqual(to: new.row.content) { return }
        let (places, isReplaced) = new.row.content.changedPlaces(since: old.row.content)
        if places.isEmpty || !isReplaced && !(fields.map { places.intersects($0) } ?? true) { return }
        updates.append(Update(from: old.index, to: new.index, changedPlaces: places, isReplaced: isReplaced))
    }

    /// A row that is in both, at different places.
    private struct Survivor {
        let old: DifferenceWalk.Entry
        let new: DifferenceWalk.Entry
    }

    /// Which of the rows that changed their places need no move: as many as possible that stand between the same rows as
    /// before, in the same order.
    private static func staying(_ survivors: [Survivor]) -> [Bool] {
        var stays = Array(repeating: false, count: survivors.count)
        // The longest run of ascending new indexes: for each length the number of the survivor that ends the best run.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: survivors.count)
        for (number, survivor) in survivors.enumerated() where survivor.old.rank == survivor.new.rank {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if survivors[ends[middle]].new.index < survivor.new.index { low = middle + 1 } else { high = middle }
            }
            previous[number] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(number) } else { ends[low] = number }
        }
        var number = ends.last ?? -1
        while number >= 0 {
            stays[number] = true
            number = previous[number]
        }
        return stays
    }
}

/// Walks two results by the places of their rows, past all chunks that they share.
struct DifferenceWalk {
    /// A row in one of the results.
    struct Entry {
        let index: Int
        /// How many rows before it are in both results at the same places.
        let rank: Int
        let row: LiveRow
    }

    /// The rows of the old result at whose places the new one has none, and the other way round.
    private(set) var gone: [Entry] = []
    private(set) var arrived: [Entry] = []
    /// The rows that changed at their places.
    private(set) var changed: [(old: Entry, new: Entry)] = []
    private var old: RowWalker
    private var new: RowWalker
    private var rank = 0

    init(_ old: LiveRows, _ new: LiveRows) {
        self.old = RowWalker(old)
        self.new = RowWalker(new)
    }

    mutating func run() {
        while true {
            if let length = old.commonLength(new) {
                old.skip(length)
                new.skip(length)
                rank += length
                continue
            }
            guard let left = old.row else {
                while let right = new.row { arrive(right) }
                return
            }
            guard let right = new.row else {
                leave(left)
                continue
            }
            let order = left === right ? 0 : left.compared(to: right.place)
            if order < 0 {
                leave(left)
            } else if order > 0 {
                arrive(right)
            } else {
                if left !== right { changed.append((entry(old, left), entry(new, right))) }
                old.skip(1)
                new.skip(1)
                rank += 1
            }
        }
    }

    private func entry(_ walker: RowWalker, _ row: LiveRow) -> Entry {
        Entry(index: walker.index, rank: rank, row: row)
    }

    private mutating func leave(_ row: LiveRow) {
        gone.append(entry(old, row))
        old.skip(1)
    }

    private mutating func arrive(_ row: LiveRow) {
        arrived.append(entry(new, row))
        new.skip(1)
    }
}

/// A place in rows that are walked.
private struct RowWalker {
    private let rows: LiveRows
    private let count: Int
    private(set) var index = 0
    private var mark: LiveRows.Mark

    init(_ rows: LiveRows) {
        self.rows = rows
        count = rows.count
        mark = rows.mark(at: 0)
    }

    /// The row here; nil at the end.
    var row: LiveRow? { index < count ? rows.chunks[mark.chunk][mark.offset] : nil }

    /// How many rows from here on two walkers have in common, where both are at the same row of a shared chunk; nil
    /// otherwise.
    func commonLength(_ other: RowWalker) -> Int? {
        guard index < count, other.index < other.count, mark.offset == other.mark.offset else { return nil }
        let chunk = rows.chunks[mark.chunk]
        guard chunk.isSameMemory(as: other.rows.chunks[other.mark.chunk]) else { return nil }
        return Swift.min(chunk.count - mark.offset, count - index, other.count - other.index)
    }

    /// Goes on by some rows, not past the end of the chunk.
    mutating func skip(_ length: Int) {
        index += length
        mark.offset += length
        if mark.offset == rows.chunks[mark.chunk].count { mark = LiveRows.Mark(chunk: mark.chunk + 1, offset: 0) }
    }
}
