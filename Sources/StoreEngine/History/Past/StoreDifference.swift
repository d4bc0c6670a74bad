/// What the records of a store differ in between two positions.
///
/// Each record that differs is there once, with the change that leads from the one state to the other: an insert, an
/// update, a delete, or a replacement where it is another record under the same id. ``changes(of:)`` gives those of a
/// type as values, ``RecordChange/fieldChanges()`` the values of the fields of any.
public struct StoreDifference: Sendable {
    /// The position of the first state.
    public let from: Position
    /// The position of the second state; it may be the earlier one.
    public let to: Position
    /// The names of the record types that were added or changed in between: records of both states are shown in the form
    /// that they have now.
    public let changedTypes: [String]
    /// What leads from the first state to the second; nil where they are one.
    @usableFromInline let changeSet: ChangeSet?

    /// The records that differ, in the order in which they were first changed.
    public var changes: [RecordChange] { changeSet?.changes ?? [] }

    /// Whether no record differs.
    public var isEmpty: Bool { changes.isEmpty }

    /// The records of one type that differ.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged`.
    @inlinable
    public func changes<R: Record>(of type: R.Type) throws(StoreError) -> [Change<R>] {
        try changeSet?.changes(of: type) ?? []
    }

    /// What the records of a transaction's store differ in between two positions.
    ///
    /// Takes time for all that changed between them, and memory for both states of the records that differ.
    ///
    /// - Parameter typeIndex: the place of the one type that is of interest; nil for all.
    /// - Throws: ``StoreError``: as ``ReadContext/requireResumable(_:)`` of either; `historyUnavailable`; `damaged`.
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
        let net = try squash?.finish()
        changeSet = isForward ? net : try net?.inverted()
    }
}

extension ChangeSet {
    /// What leads from where this leads to back to where it begins.
    fileprivate func inverted() throws(StoreError) -> ChangeSet {
        var inverted: [RecordChange] = []
        inverted.reserveCapacity(changes.count)
        for change in changes {
            do {
                inverted.append(try change.inverted())
            } catch {
                throw undecodable(change, error)
            }
        }
        return ChangeSet(
            position: positionBefore, after: position, firstSequence: sequence, time: time, origin: origin,
            changes: inverted, isWhole: isWhole, state)
    }
}

extension RecordChange {
    fileprivate func inverted() throws(CodecError) -> RecordChange {
        var inverted = change
        switch change.kind {
        case .insert: inverted.kind = .delete
        case .delete: inverted.kind = .insert
        default:
            guard let type, let before = try change.before(type) else { return self }
            inverted.record = before
            inverted.replaced = change.record
            if change.kind == .update {
                inverted.earlier = unsafe try ChangeSquash.earlier(
                    RecordBytes(unverified: change.record.span.bytes), RecordBytes(unverified: before.span.bytes), type)
            }
        }
        return RecordChange(inverted, type: type, name: name)
    }
}
