public import StoreEngine

/// What a model shows from one position on. Immutable.
///
/// A class, so that code that is not specialized for the record's type hands it on without copying the record.
@usableFromInline
final class ModelVersion<R: Record>: Sendable {
    @usableFromInline let record: R
    let position: Position
    let isDeleted: Bool
    /// The position of the version before, 0 for the first one.
    let previousSequence: UInt64
    /// What differs from the version before.
    let changedFields: ChangedFields<R>

    init(_ record: R, at position: Position) {
        self.record = record
        self.position = position
        isDeleted = false
        previousSequence = 0
        changedFields = ChangedFields()
    }

    /// The version that comes after `before`.
    init(
        _ record: R, at position: Position, after before: ModelVersion, isDeleted: Bool = false,
        changedFields: ChangedFields<R> = ChangedFields()
    ) {
        self.record = record
        self.position = position
        self.isDeleted = isDeleted
        previousSequence = before.position.sequence
        self.changedFields = changedFields
    }

    var sequence: UInt64 { position.sequence }

    /// What differs from an earlier version.
    func changedFields(since earlier: ModelVersion) -> ChangedFields<R> {
        if earlier.sequence == sequence { return ChangedFields() }
        return earlier.sequence == previousSequence
            ? changedFields : ChangedFields(from: earlier.record, to: record)
    }
}
