package import StoreEngine

/// A delivery of a live query without a Swift type: the results at a position, and how they differ from the results delivered
/// before.
package struct DynamicUpdate: Sendable {
    /// The position of the step that produced the results.
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

    /// Whether this is the first delivery, which has no changes.
    package var isFirst: Bool { difference == nil }

    /// The number of changes from the results of the previous update: 0 if only the version of the record type changed.
    package var changeCount: Int { difference?.count ?? 0 }

    /// Decodes a change, and returns it. See ``DynamicRowChange``.
    ///
    /// - Parameter number: the index of the change, below ``changeCount``, in the order in which changes are applied.
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
/// The changes of an update are in the order in which to apply them:
///
/// 1. Remove the deleted and the moved rows from the old rows, by their old indexes.
/// 2. Insert the moved and the new rows at their new indexes, in ascending order.
/// 3. Replace the records of the updated rows.
///
/// Rows that only shift, because other rows come or go, are not listed.
package struct DynamicRowChange: Sendable {
    /// The kind of a change.
    package enum Kind: Hashable, Sendable {
        /// The row was removed.
        case delete
        /// The row moved relative to the other rows; this is its old index.
        case move(from: Int)
        /// The row is new.
        case insert
        /// The row's record changed in these fields; in all fields if it was deleted and inserted again. The row may also have
        /// moved.
        case update(changed: [String])
    }

    /// The kind of the change.
    package let kind: Kind
    /// The row's index in the new rows; for a delete, its index in the old rows.
    package let index: Int
    /// The current record; for a delete, the last one.
    package let record: DynamicRecord
    /// The values of the fields in ``DynamicRows/followed`` for that record.
    package let followed: [DynamicValue]

    fileprivate init(kind: Kind, index: Int, in rows: DynamicRows) throws(StoreError) {
        self.kind = kind
        self.index = index
        record = try rows.record(index)
        followed = rows.followed(index)
    }
}

/// The rows of a live result at one position, decoded on demand.
package struct DynamicRows: Sendable {
    /// The record type at that position.
    package let type: OpenType
    /// The catalog at that position.
    package let catalog: Catalog
    /// The fields of other records that the request names.
    package let followed: [FieldName]
    private let rows: LiveRows

    init(_ version: LiveVersion) {
        type = version.type
        catalog = version.catalog
        followed = version.followed
        rows = version.rows
    }

    /// The number of rows.
    package var count: Int { rows.count }

    /// Returns the names of the fields with these indexes.
    fileprivate func fieldNames(_ fieldIndexes: FieldIndexSet) -> [String] {
        type.type.fields.indices.filter(fieldIndexes.contains).map { type.type.fields[$0].name }
    }

    /// Returns the values of the fields in ``followed`` for the row at an index.
    package func followed(_ index: Int) -> [DynamicValue] { rows[index].followed }

    /// Returns the record at an index, which must be below ``count``.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    /// - Complexity: logarithmic in the number of rows, plus decoding the record.
    package func record(_ index: Int) throws(StoreError) -> DynamicRecord {
        let bytes = rows[index].content.bytes
        do {
            return unsafe try DynamicRecord(unverified: bytes.span.bytes, of: type)
        } catch {
            throw StoreError(error, at: "a record of \(type.name)")
        }
    }
}
