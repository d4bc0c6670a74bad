/// The records of a store that differ between two positions.
///
/// Each of these records occurs once, with the change that leads from the first state to the second. It is an insert, an update,
/// a delete, or a replacement if another record with other fields has the id. ``changes(of:)`` returns the changes of one type as
/// values, and ``RecordChange/fieldChanges()`` returns the field values of any change.
public struct StoreDifference: Sendable {
    /// The position of the first state.
    public let from: Position
    /// The position of the second state. It may be earlier than ``from``.
    public let to: Position
    /// The names of the record types that were added or changed in between. The records of both states have the current form of
    /// their type.
    public let changedTypes: [String]
    /// The changes that lead from the first state to the second; nil if the states are the same.
    @usableFromInline let changeSet: ChangeSet?

    /// The changed records, in the order of their first change.
    public var changes: [RecordChange] { changeSet?.changes ?? [] }

    /// Whether no record differs between the two positions.
    public var isEmpty: Bool { changes.isEmpty }

    /// Returns the changes of the records of one type.
    ///
    /// A change whose id is not a value of `R.ID` any more is not among them: ``changesOfUnfitIDs(of:)`` returns it.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged`.
    @inlinable
    public func changes<R: Record>(of type: R.Type) throws(StoreError) -> [Change<R>] {
        try changeSet?.changes(of: type) ?? []
    }

    /// Returns the changes of the records of one type whose id is not a value of `R.ID`, and each of them as it was written.
    ///
    /// - Throws: ``StoreError``: as ``changes(of:)``.
    @inlinable
    public func changesOfUnfitIDs<R: Record>(
        of type: R.Type
    ) throws(StoreError) -> [(change: RecordChange, written: WrittenChange)] {
        try changeSet?.changesOfUnfitIDs(of: type) ?? []
    }

    /// Computes the records that differ between two positions in a transaction's store.
    ///
    /// Takes time for all changes between the positions, and memory for both states of the records that differ.
    ///
    /// - Parameter typeIndex: the catalog index of the only type to compare; nil for all types.
    /// - Throws: ``StoreError``: as ``ReadContext/requireResumable(_:)`` for either position; `historyUnavailable`; `damaged`.
    package init(from: Position, to: Position, typeIndex: Int? = nil, _ scope: ReadContext) throws(StoreError) {
        self.from = from
        self.to = to
        try scope.requireResumable(from)
        try scope.requireResumable(to)
        let isForward = from.sequence <= to.sequence
        let (first, last) = isForward ? (from, to) : (to, from)
        let state = scope.state
        let wanted = typeIndex.map { state.catalog.types[$0].type.id }
        var squash: ChangeSquash?
        var changedNumbers: Set<UInt32> = []
        try scope.forEachPart(after: first, upTo: last.sequence) { (part) throws(StoreError) in
            var changeIndexes: [Int] = []
            for (changeIndex, change) in part.changes.enumerated() where change.type == wanted ?? change.type {
                if change.isOfRecord { changeIndexes.append(changeIndex) } else { changedNumbers.insert(change.type) }
            }
            let changeSet = ChangeSet(part, wanted: changeIndexes, state)
            if squash == nil { squash = try ChangeSquash(changeSet) } else { try squash?.add(changeSet) }
        }
        changedTypes = state.catalog.types.filter { changedNumbers.contains($0.type.id) }.map(\.name)
        changeSet = try squash?.finish().ofDifferentStates(isForward: isForward)
    }
}

extension ChangeSet {
    /// Returns the change set without records that are another incarnation with the same fields, because the states of a store
    /// do not differ in that.
    ///
    /// - Parameter isForward: false for the inverse change set, which leads from the second state back to the first.
    fileprivate func ofDifferentStates(isForward: Bool) throws(StoreError) -> ChangeSet {
        var different: [RecordChange] = []
        different.reserveCapacity(changes.count)
        for change in changes {
            do {
                if try change.hasEqualStates { continue }
                different.append(isForward ? change : try change.inverted())
            } catch {
                throw undecodable(change, error)
            }
        }
        return ChangeSet(
            position: isForward ? position : positionBefore, after: isForward ? positionBefore : position,
            firstSequence: isForward ? firstSequence : sequence, time: time, origin: origin, changes: different,
            isWhole: isWhole, state)
    }
}

extension RecordChange {
    /// Whether the record was replaced by another one with the same fields.
    fileprivate var hasEqualStates: Bool {
        get throws(CodecError) {
            guard kind == .replace, let type, let before = change.replaced else { return false }
            return unsafe try ChangeSquash.earlier(
                RecordBytes(unverified: before.span.bytes), RecordBytes(unverified: change.record.span.bytes), type
            ).isEmpty
        }
    }

    fileprivate func inverted() throws(CodecError) -> RecordChange {
        var inverted = change
        switch change.kind {
        case .insert: inverted.kind = .delete
        case .delete: inverted.kind = .insert
        default:
            guard let type, let before = try change.before(type.type) else { return self }
            inverted.record = before
            inverted.replaced = change.record
            if change.kind == .update {
                inverted.earlier = unsafe try ChangeSquash.earlier(
                    RecordBytes(unverified: change.record.span.bytes), RecordBytes(unverified: before.span.bytes), type)
            }
        }
        return RecordChange(inverted, type: type, described: described, name: name)
    }
}
