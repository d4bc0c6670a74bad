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
        package let changedFieldIndexes: FieldIndexSet
        /// Which of the fields of other records that the request names have changed, by their numbers among them.
        package let changedFollowed: [Int]
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
    /// The rows that are other objects than those of the old rows, by their indexes in the new rows: all whose records are new or
    /// changed are among them, also where what changed is not told.
    package let renewed: [Int]

    /// Whether nothing is different.
    package var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    /// How much is different.
    package var count: Int { deletes.count + inserts.count + moves.count + updates.count }

    /// Compares two results.
    ///
    /// - Parameters:
    ///   - type: the record type of the new rows, where the old ones may be of an earlier version of it.
    ///   - fields: the fields whose changes are told, by their places in the new rows; nil for all.
    /// - Complexity: O(chunks of rows), and O(d log d) for the d rows in the chunks that differ.
    package init(from old: LiveRows, to new: LiveRows, of type: OpenType? = nil, fields: FieldIndexSet? = nil) {
        var walk = DifferenceWalk(old, new)
        walk.run()
        renewed = (walk.arrived + walk.changed.map(\.new)).map(\.index)
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
            note(survivor.old, survivor.new, type, fields)
        }
        for (old, new) in walk.changed { note(old, new, type, fields) }
        moves.sort { $0.to < $1.to }
        updates.sort { $0.to < $1.to }
    }

    /// Leads from all rows of one type to those of another that took its place.
    package init(replacing old: LiveRows, with new: LiveRows) {
        deletes = Array(old.indices)
        inserts = Array(new.indices)
        renewed = inserts
    }

    private mutating func note(
        _ old: DifferenceWalk.Entry, _ new: DifferenceWalk.Entry, _ type: OpenType?, _ fields: FieldIndexSet?
    ) {
        let (before, after) = (old.row, new.row)
        let followed = after.followed.indices.filter { number in
            number >= before.followed.count || before.followed[number] != after.followed[number]
        }
        let isSame = before.content.isEqual(to: after.content)
        if isSame, followed.isEmpty { return }
        let (fieldIndexes, isReplaced) =
            isSame ? (FieldIndexSet(), false) : after.content.changedFieldIndexes(since: before.content, of: type)
        let isOwn = !fieldIndexes.isEmpty && (isReplaced || fields.map { fieldIndexes.intersects($0) } ?? true)
        if !isOwn, followed.isEmpty { return }
        updates.append(
            Update(
                from: old.index, to: new.index, changedFieldIndexes: fieldIndexes, changedFollowed: followed,
                isReplaced: isReplaced))
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
