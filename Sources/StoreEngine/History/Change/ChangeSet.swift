public import Foundation

/// What one write closure changed, or a part of that where it is a lot; as an element of the feed.
public struct ChangeSet: Sendable {
    /// Where a reader stands that has this: resuming there goes on with what comes next.
    ///
    /// After the change set; before it for a part that is not the last, since a change set is resumed as a whole. Such a part
    /// therefore has the position of the change set before it: name a change set by its ``sequence``.
    public let position: Position
    /// The sequence number of the change set; of the last one where several were put together.
    public let sequence: UInt64
    /// The sequence number of the first change set that was put together into this one.
    public let firstSequence: UInt64
    /// When it was written, by the writer's clock.
    public let time: Date
    /// Who wrote it.
    public let origin: Origin
    /// The action that asked for it, if it was one that did; with the first part of a large change set.
    public let action: RecordedAction?
    /// The changes, in the order of first touch. Empty where a filter left none and progress was asked for, and where an action
    /// changed nothing.
    public let changes: [RecordChange]
    /// Which part of the change set this is, from 0.
    public let part: Int
    /// Whether no part of the change set comes after this one.
    public let isLastPart: Bool
    /// Where a reader stands that has nothing of it: resuming there gives the whole change set again.
    ///
    /// Its epoch is that of the change set itself, which need not be that of the one before; nothing is compared by it.
    public let positionBefore: Position
    /// Whether this holds every change of the change set, or of all change sets that were put together into it.
    ///
    /// False for a part of a large change set, and where a filter has left changes out.
    public let isWhole: Bool
    /// How many changes the change set has in all; nil where several were put together.
    package let wholeCount: Int?
    package let state: StoreState

    /// What is wanted of a part that was read.
    ///
    /// - Parameter wanted: the places of the wanted changes; nil for all.
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
        if let wanted {
            changes = wanted.map { ChangeSet.change($0, of: part, state) }
        } else {
            changes = part.changes.indices.map { ChangeSet.change($0, of: part, state) }
        }
        wholeCount = Int(clamping: part.header.changeCount)
        isWhole = changes.count == wholeCount
    }

    private static func change(_ number: Int, of part: FeedPart, _ state: StoreState) -> RecordChange {
        let change = part.changes[number]
        let name = ChangeName(
            store: state.identity, epoch: part.header.epoch, sequence: part.sequence,
            index: part.firstIndex + number, time: part.header.time.timeIntervalSinceReferenceDate.bitPattern)
        return RecordChange(change, type: ChangeSet.type(of: change, state), name: name)
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
        // Of several change sets none is the whole's.
        action = nil
        self.changes = changes
        part = 0
        isLastPart = true
        self.isWhole = isWhole
        wholeCount = nil
        self.state = state
    }

    /// The changes of records of one type.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged`.
    @inlinable
    public func changes<R: Record>(of type: R.Type) throws(StoreError) -> [Change<R>] {
        try changes(of: type) { _ in true }
    }

    /// Those changes of records of one type that are wanted.
    @inlinable
    package func changes<R: Record>(
        of type: R.Type, wanted: (RecordChange) -> Bool
    ) throws(StoreError) -> [Change<R>] {
        let binding = try binding(type)
        var typed: [Change<R>] = []
        typed.reserveCapacity(changes.count)
        for change in changes where isOfRecord(change, binding) && wanted(change) {
            do {
                typed.append(try Change(states(of: change, binding)))
            } catch {
                throw undecodable(change, error)
            }
        }
        return typed
    }

    @usableFromInline
    func binding<R: Record>(_ type: R.Type) throws(StoreError) -> TypedBinding { try state.catalog.binding(type) }

    @usableFromInline
    func isOfRecord(_ change: RecordChange, _ binding: TypedBinding) -> Bool {
        change.type === binding.type && change.change.isOfRecord
    }

    @usableFromInline
    func states(of change: RecordChange, _ binding: TypedBinding) throws(CodecError) -> ChangeStates {
        try ChangeStates(change, binding)
    }

    @usableFromInline
    func undecodable(_ change: RecordChange, _ error: CodecError) -> StoreError {
        StoreError(error, at: "the change \(change.name) of \(change.typeName)")
    }

    /// Whether records of a type changed in a way that the feed does not tell, so that they must be read afresh: a program
    /// that is not ModelStore has written to the store.
    public func isReset<R: Record>(_ type: R.Type) -> Bool {
        guard let typeIndex = state.catalog.typeIndex(named: R.recordSchema.name) else { return false }
        let number = state.catalog.types[typeIndex].type.id
        return changes.contains { $0.kind == .reset && ($0.change.type == .max || $0.change.type == number) }
    }

    package static func type(of change: FeedChange, _ state: StoreState) -> OpenType? {
        state.catalog.typeIndex(ofID: change.type).map { state.catalog.types[$0] }
    }
}
