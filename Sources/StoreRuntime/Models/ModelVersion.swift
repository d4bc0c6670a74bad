public import StoreEngine

/// The state of a model from one position on, without the record. Steps and subscribers use it for models of any type. Immutable.
///
/// The compiler does not specialize another module's code for a record's type. Looking up generic types takes longer than the
/// rest of reading a field, so only the record depends on the type.
///
/// `@unchecked` because the compiler accepts only final classes. This class and its one subclass hold only Sendable constants.
@usableFromInline
class AnyModelVersion: @unchecked Sendable {
    final let position: Position
    final let isDeleted: Bool
    /// The position of the previous version; 0 for the first version.
    final let previousSequence: UInt64
    /// The declared fields in which this version differs from the previous one.
    final let changedFieldIndexes: FieldIndexSet
    /// Why the record cannot be read at this position. The version then has the record of the previous one.
    final let readFailure: StoreError?
    /// Whether this version or the previous one has such a failure.
    final let changesReadFailure: Bool

    init(
        at position: Position, after previous: AnyModelVersion?, isDeleted: Bool, changedFieldIndexes: FieldIndexSet,
        readFailure: StoreError?
    ) {
        self.position = position
        self.isDeleted = isDeleted
        previousSequence = previous?.sequence ?? 0
        self.changedFieldIndexes = changedFieldIndexes
        self.readFailure = readFailure
        changesReadFailure = readFailure != nil || previous?.readFailure != nil
    }

    final var sequence: UInt64 { position.sequence }

    /// Returns the declared fields in which this version differs from an earlier one.
    final func changedFieldIndexes(since earlier: AnyModelVersion) -> FieldIndexSet {
        if earlier.sequence == sequence { return FieldIndexSet() }
        return earlier.sequence == previousSequence ? changedFieldIndexes : compare(with: earlier)
    }

    /// Compares all declared fields with those of an earlier version of the same model, and returns the fields that differ.
    func compare(with earlier: AnyModelVersion) -> FieldIndexSet { .all }

    /// Whether a subscriber to some declared fields has to receive this version, if it had the previous one.
    final func concerns(_ fields: FieldIndexSet) -> Bool { isDeleted || changedFieldIndexes.intersects(fields) }
}

/// The state of a model from one position on. Immutable.
@usableFromInline
final class ModelVersion<R: Record>: AnyModelVersion, @unchecked Sendable {
    @usableFromInline let record: R

    /// - Parameter previous: the version that this one follows; nil for the first version.
    init(
        _ record: R, at position: Position, after previous: AnyModelVersion? = nil, isDeleted: Bool = false,
        changedFieldIndexes: FieldIndexSet = FieldIndexSet(), readFailure: StoreError? = nil
    ) {
        self.record = record
        super.init(
            at: position, after: previous, isDeleted: isDeleted, changedFieldIndexes: changedFieldIndexes,
            readFailure: readFailure)
    }

    override func compare(with earlier: AnyModelVersion) -> FieldIndexSet {
        ChangedFields(from: earlier.of(R.self).record, to: record).declaredFieldIndexes
    }
}

extension AnyModelVersion {
    /// Returns this version as a version of a model of `R`. The model's state must hold only such versions.
    @inlinable
    final func of<R: Record>(_ type: R.Type) -> ModelVersion<R> {
        assert(self is ModelVersion<R>)
        // A state belongs to one model, and all its versions have the model's record type.
        return unsafe unsafeDowncast(self, to: ModelVersion<R>.self)
    }
}
