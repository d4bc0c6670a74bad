public import StoreEngine

/// What leads from one result of a live query to the next: a diff by record.
///
/// Applied in this order: what was deleted and moved is taken out of the old rows, moved and inserted rows are put in at their
/// new indexes, ascending, and updated rows get their new records. Rows that merely shift are not told.
public struct LiveChanges<R: Record>: Sendable {
    /// A row that was not there before.
    public struct Insert: Sendable {
        /// The record.
        public let record: R
        /// Its index in the new rows.
        public let index: Int
    }

    /// A row that is not there any more.
    public struct Delete: Sendable {
        /// The record as it was in the old rows.
        public let record: R
        /// Its index in the old rows.
        public let index: Int
    }

    /// A row that stands elsewhere among the others.
    public struct Move: Sendable {
        /// The record's id.
        public let id: R.ID
        /// Its index in the old rows.
        public let from: Int
        /// Its index in the new rows.
        public let to: Int
    }

    /// A row, moved or not, whose record changed.
    public struct Update: Sendable {
        /// The record as it was in the old rows.
        public let old: R
        /// The record now.
        public let new: R
        /// What differs between the two; all fields for a record that was deleted and inserted again.
        public let changedFields: ChangedFields<R>
        /// Its index in the new rows.
        public let index: Int
        /// Whether it is another record with the same id: deleted and inserted again.
        public let isReplaced: Bool
    }

    /// The rows that are new, by their indexes in the new rows, ascending.
    public private(set) var inserts: [Insert] = []
    /// The rows that changed, by their indexes in the new rows, ascending.
    public private(set) var updates: [Update] = []
    /// The rows that stand elsewhere among the others, by their new indexes, ascending.
    public private(set) var moves: [Move] = []
    /// The rows that are gone, by their indexes in the old rows, ascending.
    public private(set) var deletes: [Delete] = []
    /// Whether nothing is told but that the rows are others: they are the first ones, or there would be more changes than rows.
    public private(set) var isReset = false

    /// All rows are new.
    static var reset: LiveChanges {
        var changes = LiveChanges()
        changes.isReset = true
        return changes
    }

    private init() {}

    /// The typed form of a difference.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    init(_ difference: LiveDifference, from old: LiveShown, to new: LiveShown) throws(StoreError) {
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
            updates.append(
                Update(
                    old: try old.rows[update.from].content.record(R.self, before),
                    new: try new.rows[update.to].content.record(R.self, after),
                    changedFields: ChangedFields(update.changedFieldIndexes, after), index: update.to,
                    isReplaced: update.isReplaced))
        }
    }

    /// The old rows with the changes applied.
    ///
    /// - Parameter results: the new rows, which a reset takes as they are.
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
