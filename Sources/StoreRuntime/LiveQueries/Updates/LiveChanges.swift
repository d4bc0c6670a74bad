public import StoreEngine

/// The changes that lead from one result of a live query to the next, by record.
///
/// Apply them in this order:
///
/// 1. Remove the deleted and the moved rows from the old rows.
/// 2. Insert the moved and the new rows at their new indexes, in ascending order.
/// 3. Replace the records of the updated rows.
///
/// Rows that only shift, because other rows come or go, are not listed. ``applied(to:results:)`` applies all changes.
public struct LiveChanges<R: Record>: Sendable {
    /// A row that the old rows lack.
    public struct Insert: Sendable {
        /// The record.
        public let record: R
        /// Its index in the new rows.
        public let index: Int
    }

    /// A row that the new rows lack.
    public struct Delete: Sendable {
        /// The record as it was in the old rows.
        public let record: R
        /// Its index in the old rows.
        public let index: Int
    }

    /// A row that moved relative to the other rows.
    public struct Move: Sendable {
        /// The record's id.
        public let id: R.ID
        /// Its index in the old rows.
        public let from: Int
        /// Its index in the new rows.
        public let to: Int
    }

    /// A row whose record changed. The row may also have moved.
    public struct Update: Sendable {
        /// The record as it was in the old rows.
        public let old: R
        /// The record now.
        public let new: R
        /// The fields in which the two records differ; all fields if the record was deleted and inserted again.
        public let changedFields: ChangedFields<R>
        /// Its index in the new rows.
        public let index: Int
        /// Whether the record was deleted, and another record with the same id inserted.
        public let isReplaced: Bool
    }

    /// The new rows, in ascending order of their indexes in the new rows.
    public private(set) var inserts: [Insert] = []
    /// The rows whose records changed, in ascending order of their indexes in the new rows.
    public private(set) var updates: [Update] = []
    /// The rows that moved relative to the other rows, in ascending order of their indexes in the new rows.
    public private(set) var moves: [Move] = []
    /// The removed rows, in ascending order of their indexes in the old rows.
    public private(set) var deletes: [Delete] = []
    /// Whether this is a reset, which lists no changes: replace all rows. The store sends a reset if it does not know which rows
    /// the subscriber has, as at the first update. It also sends one if there are more changes than rows and more than 16.
    public private(set) var isReset = false

    /// The changes of a reset.
    static var reset: LiveChanges {
        var changes = LiveChanges()
        changes.isReset = true
        return changes
    }

    private init() {}

    /// Creates the typed form of a difference.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    init(_ difference: LiveDifference, from old: LiveVersion, to new: LiveVersion) throws(StoreError) {
        let before = try old.catalog.binding(R.self)
        let after = try new.catalog.binding(R.self)
        for index in difference.inserts {
            inserts.append(Insert(record: try new.rows[index].content.record(R.self, after), index: index))
        }
        for index in difference.deletes {
            deletes.append(Delete(record: try old.rows[index].content.record(R.self, before), index: index))
        }
        for move in difference.moves {
            let record = try new.rows[move.to].content.record(R.self, after)
            moves.append(Move(id: record.recordID, from: move.from, to: move.to))
        }
        for update in difference.updates {
            let left = try old.rows[update.from].content.record(R.self, before)
            let right = try new.rows[update.to].content.record(R.self, after)
            // A field whose type the program declares in part may have changed only in the other part.
            let changedFields =
                after.hasUndeclaredParts && !update.isReplaced
                ? ChangedFields(from: left, to: right) : ChangedFields(update.changedFieldIndexes, after)
            updates.append(
                Update(
                    old: left, new: right, changedFields: changedFields, index: update.to,
                    isReplaced: update.isReplaced))
        }
    }

    /// Returns the old rows with the changes applied.
    ///
    /// - Parameters:
    ///   - old: the old rows.
    ///   - results: the new rows. A reset returns them unchanged.
    public func applied(to old: [R], results: LiveRecords<R>) -> [R] {
        if isReset { return Array(results) }
        var rows: [R?] = old
        let moved = moves.map { old[$0.from] }
        for delete in deletes { rows[delete.index] = nil }
        for move in moves { rows[move.from] = nil }
        var kept = rows.compactMap(\.self)
        let arriving = inserts.map { ($0.index, $0.record) } + zip(moves, moved).map { ($0.to, $1) }
        for (index, record) in arriving.sorted(by: { $0.0 < $1.0 }) { kept.insert(record, at: index) }
        for update in updates { kept[update.index] = update.new }
        return kept
    }
}
