public import Foundation

/// The changes of one write closure, as an element of the feed. The feed delivers a large change set in several parts.
public struct ChangeSet: Sendable {
    /// The position to store after processing this element. A reader that resumes there receives the next change set.
    ///
    /// This is the position after the change set. A part that is not the last has the position before the change set, because a
    /// reader resumes a change set as a whole. That position equals the position of the previous change set, so name a change set
    /// by its ``sequence``.
    public let position: Position
    /// The sequence number of the change set. For a combination of several change sets, the number of the last one.
    public let sequence: UInt64
    /// The sequence number of the first change set in a combination of several; otherwise equal to ``sequence``.
    public let firstSequence: UInt64
    /// The time of the write, by the writer's clock.
    public let time: Date
    /// The process that wrote the change set.
    public let origin: Origin
    /// Why the change set was written: by the program, by a migration, or to undo others. All change sets of a combination have
    /// the same kind.
    public var kind: ChangeSetKind { origin.kind }
    /// The action that caused the write, if there was one. In a large change set, the first part has it.
    public let action: RecordedAction?
    /// The changes, in the order in which the closure first touched their records. Empty when a filter removed all changes and
    /// the reader asked for progress, and when an action changed nothing.
    public let changes: [RecordChange]
    /// The number of this part of the change set, from 0.
    public let part: Int
    /// Whether this is the last part of the change set.
    public let isLastPart: Bool
    /// The position to resume from to receive the whole change set again.
    ///
    /// Its epoch is the epoch of this change set, which can differ from the epoch of the previous change set. Resuming the feed
    /// compares the hash, not the epoch.
    public let positionBefore: Position
    /// Whether this contains every change of the change set, or of all change sets that it combines.
    ///
    /// False for a part of a large change set, and when a filter removed changes.
    public let isWhole: Bool
    /// The total number of changes in the change set; nil for a combination of several change sets.
    package let wholeCount: Int?
    package let state: StoreState
    /// What ``changes(of:)`` does with a change whose record does not fit its type.
    package var unfitRecords = UnfitRecords.deliver

    /// Takes the wanted changes of a part that was read.
    ///
    /// - Parameter wanted: the indexes of the wanted changes in the part; nil for all.
    package init(_ part: FeedPart, wanted: [Int]?, _ state: StoreState) {
        position = part.position
        sequence = part.sequence
        firstSequence = part.sequence
        time = part.header.time
        origin = part.header.origin
        action = part.action
        self.part = part.number
        isLastPart = part.isLast
        positionBefore = Position(
            store: state.identity, epoch: part.header.epoch, sequence: part.sequence - 1, hash: part.header.previousHash
        )
        self.state = state
        let sources = part.replacedIndexes
        if let wanted {
            changes = wanted.map { ChangeSet.change($0, of: part, sources, state) }
        } else {
            changes = part.changes.indices.map { ChangeSet.change($0, of: part, sources, state) }
        }
        wholeCount = Int(clamping: part.header.changeCount)
        isWhole = changes.count == wholeCount
    }

    private static func change(
        _ number: Int, of part: FeedPart, _ sources: [Int: Int], _ state: StoreState
    ) -> RecordChange {
        let change = part.changes[number]
        let name = ChangeName(
            store: state.identity, epoch: part.header.epoch, sequence: part.sequence,
            index: part.firstIndex + number, time: part.header.time.timeIntervalSinceReferenceDate.bitPattern)
        var typed = RecordChange(
            change, type: ChangeSet.type(of: change, state), described: state.catalog.description(ofID: change.type),
            name: name)
        if let old = sources[number].map({ part.changes[$0] }), ChangeSet.type(of: old, state) == nil {
            typed.source = state.catalog.description(ofID: old.type).map { ReplacedSource(old, $0) }
        }
        return typed
    }

    package init(
        position: Position, after positionBefore: Position, firstSequence: UInt64, time: Date, origin: Origin,
        changes: [RecordChange], isWhole: Bool, _ state: StoreState
    ) {
        self.position = position
        self.positionBefore = positionBefore
        sequence = position.sequence
        self.firstSequence = firstSequence
        self.time = time
        self.origin = origin
        // A combination of several change sets has no action: each action belongs to only one of them.
        action = nil
        self.changes = changes
        part = 0
        isLastPart = true
        self.isWhole = isWhole
        wholeCount = nil
        self.state = state
    }

    /// Returns the changes of records of one type.
    ///
    /// A change whose record does not fit `R` any more says so (``Change/fit``), unless the reader's options tell to leave it out
    /// or to stop. So does a change of a type of the same name that a migration replaced. If that type had ids of other field
    /// types, its changes are only in ``changes``.
    ///
    /// A ``Change`` has an id, so a change whose id is not a value of `R.ID` any more is not among them:
    /// ``changesOfUnfitIDs(of:)`` returns it.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `valueDoesNotFit` where the reader stops;
    ///   `damaged`.
    @inlinable
    public func changes<R: Record>(of type: R.Type) throws(StoreError) -> [Change<R>] {
        try changes(of: type) { _ in true }
    }

    /// Returns the changes of records of one type whose id is not a value of `R.ID`, such as an enum that lost a case, and each
    /// of them as it was written.
    ///
    /// - Throws: ``StoreError``: as ``changes(of:)``.
    @inlinable
    public func changesOfUnfitIDs<R: Record>(
        of type: R.Type
    ) throws(StoreError) -> [(change: RecordChange, written: WrittenChange)] {
        try changesOfUnfitIDs(of: type) { _ in true }
    }

    /// Returns those changes of records with an unfit id that `wanted` accepts.
    @inlinable
    package func changesOfUnfitIDs<R: Record>(
        of type: R.Type, wanted: (RecordChange) -> Bool
    ) throws(StoreError) -> [(change: RecordChange, written: WrittenChange)] {
        try decoded(type, wanted: wanted).unfitIDs
    }

    /// Returns those changes of records of one type that `wanted` accepts.
    @inlinable
    package func changes<R: Record>(
        of type: R.Type, wanted: (RecordChange) -> Bool
    ) throws(StoreError) -> [Change<R>] {
        try decoded(type, wanted: wanted).typed
    }

    /// Returns those changes of records of one type that `wanted` accepts and the reader wants; apart from the others, those
    /// whose id is not a value of `R.ID`.
    @inlinable
    func decoded<R: Record>(
        _ type: R.Type, wanted: (RecordChange) -> Bool
    ) throws(StoreError) -> (typed: [Change<R>], unfitIDs: [(change: RecordChange, written: WrittenChange)]) {
        let binding = try binding(type)
        var typed: [Change<R>] = []
        var unfitIDs: [(change: RecordChange, written: WrittenChange)] = []
        typed.reserveCapacity(changes.count)
        for change in changes where isOfRecord(change, binding) && wanted(change) {
            let decoded: Change<R>?
            var unfit: WrittenChange?
            do {
                decoded = try Change<R>(states(of: change, binding), unfit: &unfit)
            } catch {
                throw undecodable(change, error)
            }
            if let unfit, try !delivers(unfit, change) { continue }
            if let decoded {
                typed.append(decoded)
            } else if let unfit {
                unfitIDs.append((change, unfit))
            }
        }
        return (typed, unfitIDs)
    }

    @usableFromInline
    func binding<R: Record>(_ type: R.Type) throws(StoreError) -> TypedBinding { try state.catalog.binding(type) }

    @usableFromInline
    func isOfRecord(_ change: RecordChange, _ binding: TypedBinding) -> Bool {
        guard change.change.isOfRecord else { return false }
        return change.type === binding.type || change.isOfType(replacedBy: binding.type.type)
    }

    @usableFromInline
    func states(of change: RecordChange, _ binding: TypedBinding) throws(CodecError) -> ChangeStates {
        try ChangeStates(change, binding)
    }

    /// Returns whether the reader wants a change whose record does not fit its type.
    @usableFromInline
    func delivers(_ written: WrittenChange, _ change: RecordChange) throws(StoreError) -> Bool {
        switch unfitRecords {
        case .deliver: return true
        case .skip: return false
        case .stop:
            let id = try change.idJSON().map { " " + $0 } ?? ""
            throw StoreError(
                .valueDoesNotFit,
                "change set \(change.name.sequence) has a \(change.typeName)\(id) that does not fit its type: \(written.reason)",
                remedy: "let the reader skip or deliver such changes (FeedOptions.unfitRecords)")
        }
    }

    @usableFromInline
    func undecodable(_ change: RecordChange, _ error: CodecError) -> StoreError {
        StoreError(error, at: "the change \(change.name) of \(change.typeName)")
    }

    /// Returns whether records of a type changed in a way that the feed does not record, so that a reader must read them again.
    /// This happens when a program that is not ModelStore has written to the store.
    public func isReset<R: Record>(_ type: R.Type) -> Bool {
        guard let typeIndex = state.catalog.typeIndex(named: R.recordSchema.name) else { return false }
        let number = state.catalog.types[typeIndex].type.id
        return changes.contains { $0.kind == .reset && ($0.change.type == .max || $0.change.type == number) }
    }

    package static func type(of change: FeedChange, _ state: StoreState) -> OpenType? {
        state.catalog.typeIndex(ofID: change.type).map { state.catalog.types[$0] }
    }
}
