package import StoreEngine

/// What a live query without a Swift type delivers: its results at a position, and how they differ from those delivered before.
package struct DynamicUpdate: Sendable {
    /// The position of the step that made the results.
    package let position: Position
    /// The results.
    package let rows: DynamicRows
    private let old: DynamicRows?
    private let difference: LiveDifference?

    package init(_ step: LiveStep) {
        position = step.new.position
        rows = DynamicRows(step.new)
        old = step.old.map(DynamicRows.init)
        difference = step.wholeDifference
    }

    /// Whether nothing was delivered before, so that there are no changes to tell.
    package var isFirst: Bool { difference == nil }

    /// How many changes lead here from the results of the update before: none where only the record type is another version of itself.
    package var changeCount: Int { difference?.count ?? 0 }

    /// A change, decoded when it is asked for. See ``DynamicRowChange``.
    ///
    /// - Parameter number: which one, below ``changeCount``, in the order in which they are to be applied.
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func change(_ number: Int) throws(StoreError) -> DynamicRowChange {
        guard let old, let difference else { preconditionFailure("there is no change \(number)") }
        var rest = number
        if rest < difference.deletes.count {
            let index = difference.deletes[rest]
            return try DynamicRowChange(kind: .delete, index: index, in: old)
        }
        rest -= difference.deletes.count
        if rest < difference.moves.count {
            let move = difference.moves[rest]
            return try DynamicRowChange(kind: .move(from: move.from), index: move.to, in: rows)
        }
        rest -= difference.moves.count
        if rest < difference.inserts.count {
            let index = difference.inserts[rest]
            return try DynamicRowChange(kind: .insert, index: index, in: rows)
        }
        let update = difference.updates[rest - difference.inserts.count]
        let changed =
            rows.fieldNames(update.changedFieldIndexes) + update.changedFollowed.map { rows.followed[$0].text }
        return try DynamicRowChange(kind: .update(changed: changed), index: update.to, in: rows)
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
    /// What stood in ``DynamicRows/followed`` then.
    package let followed: [DynamicValue]

    fileprivate init(kind: Kind, index: Int, in rows: DynamicRows) throws(StoreError) {
        self.kind = kind
        self.index = index
        record = try rows.record(index)
        followed = rows.followed(index)
    }
}

/// The rows of a live result at one position, decoded when they are asked for.
package struct DynamicRows: Sendable {
    /// The record type at that position.
    package let type: OpenType
    /// The types that there are at that position.
    package let catalog: Catalog
    /// The fields of other records among those that the request names.
    package let followed: [FieldName]
    private let rows: LiveRows

    init(_ shown: LiveShown) {
        type = shown.type
        catalog = shown.catalog
        followed = shown.followed
        rows = shown.rows
    }

    /// How many there are.
    package var count: Int { rows.count }

    /// The names of the fields at some places.
    fileprivate func fieldNames(_ fieldIndexes: FieldIndexSet) -> [String] {
        type.type.fields.indices.filter(fieldIndexes.contains).map { type.type.fields[$0].name }
    }

    /// What stands in ``followed`` for the record at an index.
    package func followed(_ index: Int) -> [DynamicValue] { rows[index].followed }

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
