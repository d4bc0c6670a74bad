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
    final let changedPlaces: PlaceSet

    init(at position: Position, isDeleted: Bool, previousSequence: UInt64, changedPlaces: PlaceSet) {
        self.position = position
        self.isDeleted = isDeleted
        self.previousSequence = previousSequence
        self.changedPlaces = changedPlaces
    }

    final var sequence: UInt64 { position.sequence }

    /// The declared fields in which it differs from an earlier version.
    final func changedPlaces(since earlier: AnyModelVersion) -> PlaceSet {
        if earlier.sequence == sequence { return PlaceSet() }
        return earlier.sequence == previousSequence ? changedPlaces : compare(with: earlier)
    }

    /// The declared fields in which it differs from an earlier version of the same model, found by looking at them.
    func compare(with earlier: AnyModelVersion) -> PlaceSet { .all }

    /// Whether it is of interest to one who watches some declared fields and had the version before.
    final func concerns(_ fields: PlaceSet) -> Bool { isDeleted || changedPlaces.intersects(fields) }
}

/// What a model shows from one position on. Immutable.
@usableFromInline
final class ModelVersion<R: Record>: AnyModelVersion, @unchecked Sendable {
    @usableFromInline let record: R

    /// The first version.
    init(_ record: R, at position: Position) {
        self.record = record
        super.init(at: position, isDeleted: false, previousSequence: 0, changedPlaces: PlaceSet())
    }

    /// The version that comes after another one.
    init(
        _ record: R, at position: Position, after previousSequence: UInt64, isDeleted: Bool = false,
        changedPlaces: PlaceSet = PlaceSet()
    ) {
        self.record = record
        super.init(
            at: position, isDeleted: isDeleted, previousSequence: previousSequence, changedPlaces: changedPlaces)
    }

    override func compare(with earlier: AnyModelVersion) -> PlaceSet {
        ChangedFields(from: earlier.of(R.self).record, to: record).declaredPlaces
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
