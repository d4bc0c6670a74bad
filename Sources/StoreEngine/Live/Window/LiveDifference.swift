/// The difference between a result and a later one, by records.
///
/// Apply it to the old rows in this order:
///
/// 1. Remove the deleted and the moved rows.
/// 2. Insert the moved and the inserted rows at their new indexes, ascending.
/// 3. Replace the content of the updated rows.
///
/// Rows that only shift are not reported. Any two results of one request can be compared, whatever the number of steps between
/// them.
package struct LiveDifference: Hashable, Sendable {
    /// A row that has another position among the others.
    package struct Move: Hashable, Sendable {
        /// The row's index in the old rows.
        package let from: Int
        /// The row's index in the new rows.
        package let to: Int
    }

    /// A row whose record changed. The row may also have moved.
    package struct Update: Hashable, Sendable {
        /// The row's index in the old rows.
        package let from: Int
        /// The row's index in the new rows.
        package let to: Int
        /// The indexes of the changed fields; all fields for another incarnation.
        package let changedFieldIndexes: FieldIndexSet
        /// The changed fields of other records, by their numbers among those that the request names.
        package let changedFollowed: [Int]
        /// Whether the row now holds another record with the same id: the record was deleted and inserted again.
        package let isReplaced: Bool
    }

    /// The removed rows, by their indexes in the old rows, ascending.
    package private(set) var deletes: [Int] = []
    /// The inserted rows, by their indexes in the new rows, ascending.
    package private(set) var inserts: [Int] = []
    /// The moved rows, by their new indexes, ascending.
    package private(set) var moves: [Move] = []
    /// The updated rows, by their new indexes, ascending.
    package private(set) var updates: [Update] = []
    /// The rows that are other objects than in the old rows, by their indexes in the new rows. They include all rows with new or
    /// changed records, even those whose changes are not reported.
    package let renewed: [Int]

    /// Whether the results do not differ.
    package var isEmpty: Bool { deletes.isEmpty && inserts.isEmpty && moves.isEmpty && updates.isEmpty }

    /// The number of changes.
    package var count: Int { deletes.count + inserts.count + moves.count + updates.count }

    /// Compares two results.
    ///
    /// - Parameters:
    ///   - type: the record type of the new rows; required where the old rows may have an earlier version.
    ///   - fields: the indexes, in the new rows, of the fields whose changes are reported; nil for all fields.
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

    /// Creates the difference from all rows of one type to the rows of the type that replaced it.
    package init(replacing old: LiveRows, with new: LiveRows) {
        deletes = Array(old.indices)
        inserts = Array(new.indices)
        renewed = inserts
    }

    /// Returns the difference with only some of its updates.
    package func filteringUpdates(_ isKept: (Update) -> Bool) -> LiveDifference {
        var difference = self
        difference.updates = updates.filter(isKept)
        return difference
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

    /// A row that is in both results, at different positions.
    private struct Survivor {
        let old: DifferenceWalk.Entry
        let new: DifferenceWalk.Entry
    }

    /// Returns which of the rows with other positions need no move: as many as possible that are still between the same rows, in
    /// the same order.
    private static func staying(_ survivors: [Survivor]) -> [Bool] {
        var stays = Array(repeating: false, count: survivors.count)
        // Find the longest run of ascending new indexes. For each length, `ends` holds the number of the survivor that ends the
        // best run.
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
