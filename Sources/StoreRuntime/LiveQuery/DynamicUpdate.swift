package import StoreEngine

/// What a live query without a Swift type delivers: its results at a position, and how they differ from those delivered before.
package struct DynamicUpdate: Sendable {
    /// The position of the step that made the results.
    package let position: Position
    /// The results.
    package let rows: DynamicRows
    /// What leads to them from the results of the update before, in the order in which it is to be applied; nil in the first
    /// one. See ``DynamicRowChange``.
    package let changes: [DynamicRowChange]?

    /// - Throws: ``StoreError``: `unknownType` when the record type is gone; `damaged`.
    package init(_ step: LiveStep, typeID: UInt32) throws(StoreError) {
        position = step.new.position
        rows = try DynamicRows(step.new, typeID: typeID)
        guard let old = step.old, let difference = step.difference else {
            changes = nil
            return
        }
        changes = try DynamicUpdate.changes(difference, from: DynamicRows(old, typeID: typeID), to: rows)
    }

    private static func changes(
        _ difference: LiveDifference, from old: DynamicRows, to new: DynamicRows
    ) throws(StoreError) -> [DynamicRowChange] {
        var changes: [DynamicRowChange] = []
        for index in difference.deletes {
            changes.append(DynamicRowChange(kind: .delete, index: index, record: try old.record(index)))
        }
        for move in difference.moves {
            changes.append(
                DynamicRowChange(kind: .move(from: move.from), index: move.to, record: try new.record(move.to)))
        }
        for index in difference.inserts {
            changes.append(DynamicRowChange(kind: .insert, index: index, record: try new.record(index)))
        }
        let fields = new.type.type.fields
        for update in difference.updates {
            let changed = fields.indices.filter { update.changedPlaces.contains($0) }.map { fields[$0].name }
            changes.append(
                DynamicRowChange(kind: .update(changed: changed), index: update.to, record: try new.record(update.to)))
        }
        return changes
    }
}

/// One change of a live result.
///
/// The changes of an update come in this order: what was deleted and moved is taken out of the old rows, by the old indexes;
/// moved and inserted rows are put in at their new indexes, ascending; updated rows get their new records. Rows that merely
/// shift are not told.
package struct DynamicRowChange: Sendable {
    /// What happened.
    package enum Kind: Hashable, Sendable {
        /// A row is gone.
        case delete
        /// A row stands elsewhere among the others; before, it stood at this index.
        case move(from: Int)
        /// A row was not there before.
        case insert
        /// A row's record, moved or not, changed in these fields; in all where it was deleted and inserted again.
        case update(changed: [String])
    }

    /// What happened.
    package let kind: Kind
    /// Where the row stands in the new rows; for a delete, where it stood in the old ones.
    package let index: Int
    /// The record as it is now; for a delete, as it was last.
    package let record: DynamicRecord
}

/// The rows of a live result at one position, decoded when they are asked for.
package struct DynamicRows: Sendable {
    /// The record type at that position.
    package let type: OpenType
    private let rows: LiveRows

    /// - Throws: ``StoreError`` with the code `unknownType`.
    init(_ shown: LiveShown, typeID: UInt32) throws(StoreError) {
        guard let place = shown.catalog.place(ofType: typeID) else {
            throw StoreError(.unknownType, "the record type of a live query is gone", remedy: "ask again")
        }
        type = shown.catalog.types[place]
        rows = shown.rows
    }

    /// How many there are.
    package var count: Int { rows.count }

    /// The record at an index, which is below ``count``. Takes logarithmic time, and that of decoding the record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func record(_ index: Int) throws(StoreError) -> DynamicRecord {
        let bytes = rows[index].content.bytes
        do {
            return unsafe try DynamicRecord(unverified: bytes.span.bytes, of: type)
        } catch {
            throw StoreError(error, at: "a record of \(type.name)")
        }
    }
}
