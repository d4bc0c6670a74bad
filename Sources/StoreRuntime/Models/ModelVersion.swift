public import StoreEngine

/// What a model shows from one position on, apart from the record itself: what steps and subscribers look at, whatever the
/// record's type is. Immutable.
///
/// Code of another module is not specialized for a record's type, and looking up generic types takes longer than all the rest
/// of reading a field. So everything but the record is free of the type.
///
/// `@unchecked`, as the compiler takes only final classes: this one and its one subclass hold constants that are sendable.
@usableFromInline
class AnyModelVersion: @unchecked Sendable {
    final let position: Position
    final let isDeleted: Bool
    /// The position of the version before, 0 for the first one.
    final let previousSequence: UInt64
    /// The declared fields in which it differs from the version before.
    final let changedFieldIndexes: FieldIndexSet

    init(at position: Position, isDeleted: Bool, previousSequence: UInt64, changedFieldIndexes: FieldIndexSet) {
        self.position = position
        self.isDeleted = isDeleted
        self.previousSequence = previousSequence
        self.changedFieldIndexes = changedFieldIndexes
    }

    final var sequence: UInt64 { position.sequence }

    /// The declared fields in which it differs from an earlier version.
    final func changedFieldIndexes(since earlier: AnyModelVersion) -> FieldIndexSet {
        if earlier.sequence == sequence { return FieldIndexSet() }
        return earlier.sequence == previousSequence ? changedFieldIndexes : compare(with: earlier)
    }

    /// The declared fields in which it differs from an earlier version of the same model, found by looking at them.
    func compare(with earlier: AnyModelVersion) -> FieldIndexSet { .all }

    /// Whether it is of interest to one who watches some declared fields and had the version before.
    final func concerns(_ fields: FieldIndexSet) -> Bool { isDeleted || changedFieldIndexes.intersects(fields) }
}

/// What a model shows from one position on. Immutable.
@usableFromInline
final class ModelVersion<R: Record>: AnyModelVersion, @unchecked Sendable {
    @usableFromInline let record: R

    /// The first version.
    init(_ record: R, at position: Position) {
        self.record = record
        super.init(at: position, isDeleted: false, previousSequence: 0, changedFieldIndexes: FieldIndexSet())
    }

    /// The version that comes after another one.
    init(
        _ record: R, at position: Position, after previousSequence: UInt64, isDeleted: Bool = false,
        changedFieldIndexes: FieldIndexSet = FieldIndexSet()
    ) {
        self.record = record
        super.init(
            at: position, isDeleted: isDeleted, previousSequence: previousSequence,
            changedFieldIndexes: changedFieldIndexes)
    }

    override func compare(with earlier: AnyModelVersion) -> FieldIndexSet {
        ChangedFields(from: earlier.of(R.self).record, to: record).declaredFieldIndexes
    }
}

extension AnyModelVersion {
    /// As the version of a model of `R`, whose state holds no others.
    @inlinable
    final func of<R: Record>(_ type: R.Type) -> ModelVersion<R> {
        assert(self is ModelVersion<R>)
        // A state belongs to one model, whose versions are all made as that of its record's type.
        return unsafe unsafeDowncast(self, to: ModelVersion<R>.self)
    }
}
