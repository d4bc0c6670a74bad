import LMDB
import StoreEngine

/// How far models and live results are applied, and which steps are not published yet.
struct AppliedState {
    private var applied: Position?
    private var catalogVersion: UInt64 = 0
    private var publications: [Publication] = []
    /// Objects with older versions, for views that were open when the newer ones were published.
    private var withOlder: [ObjectIdentifier: any Versioned] = [:]
    /// The floor of the last pruning of `withOlder`.
    private var prunedFloor: UInt64 = 0
    /// The live results.
    var live = LiveRegistry()
    /// The dependents, which receive changes and interpret them themselves.
    var dependents = LiveDependents()

    /// Whether commits are not applied for now.
    var isHeld = false

    /// Whether applying has ended.
    private(set) var isEnded = false

    /// The most records that are netted in one step. With more, the step reads everything again.
    private static let changeLimit = 1_000_000

    /// The newest position that was applied.
    var position: Position {
        guard let applied else { preconditionFailure("steps have not begun") }
        return applied
    }

    var hasPublications: Bool { !publications.isEmpty }

    mutating func begin(at position: Position, catalogVersion: UInt64) {
        applied = position
        self.catalogVersion = catalogVersion
    }

    /// Ends, because the store is closed.
    ///
    /// - Returns: the live results and dependents to notify.
    mutating func end() -> (results: [LiveResult], dependents: [LiveDependent]) {
        isEnded = true
        return (live.results, dependents.all)
    }

    /// Ends, because commits can no longer be read.
    ///
    /// - Returns: the observers that receive the failure; nil if it had ended before.
    mutating func fail(_ error: StoreError) -> [any Publishing]? {
        if isEnded { return nil }
        isEnded = true
        return live.fail(error) + dependents.all
    }

    /// Takes the oldest step that is not published yet.
    mutating func takePublication() -> Publication? { publications.isEmpty ? nil : publications.removeFirst() }

    /// Notes the objects that kept versions for views after a step was published, and drops versions that no view can read any
    /// more.
    ///
    /// - Returns: whether older versions remain.
    mutating func keep(_ older: [any Versioned], floor: UInt64) -> Bool {
        // While the same view is open, there is nothing to drop.
        if floor > prunedFloor {
            withOlder = withOlder.filter { $0.value.prune(below: floor) }
            prunedFloor = floor
        }
        for one in older { withOlder[ObjectIdentifier(one)] = one }
        return !withOlder.isEmpty
    }

    /// Applies the commits up to a snapshot.
    ///
    /// - Parameter willApply: called with the new position before the step reads changes.
    mutating func apply(
        _ scope: ReadContext, tables: [any ModelTable], recent: FeedNotifier,
        willApply: (UInt64) -> Void
    ) throws {
        let head = try scope.feedHead()
        guard head.sequence > position.sequence else { return }
        let target = Position(store: scope.state.identity, head: head)
        willApply(head.sequence)
        let net = try net(scope, to: target, tables, recent)
        // Changes cannot describe a step from one schema to another.
        let changes = catalogVersion == scope.state.catalog.version ? try net.readableChanges() : nil
        // Nothing throws from here on, because no change may be applied twice.
        var publication = Publication(target.sequence)
        let known = net.resetTypes.isEmpty ? changes : nil
        live.apply(known, in: scope, at: target, &publication)
        if catalogVersion != scope.state.catalog.version { dependents.read(scope.state.catalog) }
        dependents.apply(known, &publication)
        for table in tables {
            let isReset = table.typeNumber(scope.state.catalog).map(net.resetTypes.contains) ?? false
            if let changes, !isReset {
                table.apply(changes, from: position.sequence, in: scope, at: target, &publication)
            } else {
                table.refresh(from: position.sequence, in: scope, at: target, &publication)
            }
        }
        applied = target
        catalogVersion = scope.state.catalog.version
        publications.append(publication)
    }

    /// Takes a result that was run on a snapshot of its own, and keeps it up to date from now on.
    ///
    /// - Parameter scope: the snapshot of the last applied step.
    /// - Returns: the result. If another caller was quicker with the same request, the result of that caller.
    /// - Throws: ``StoreError``: the reason why the request no longer matches its type; `damaged`.
    mutating func use(
        _ start: LiveStart, in scope: ReadContext, recent: FeedNotifier, _ timeline: Timeline
    ) throws -> LiveResult {
        if let shared = live.share(start.key) { return shared }
        var start = start
        if start.position.sequence < position.sequence {
            let catalog = scope.state.catalog
            let interest = Dictionary(
                uniqueKeysWithValues: catalog.types.map { ($0.type.id, start.interest(inType: $0.type.id)) })
            let net = try net(scope, from: start.position, to: position, interest, recent)
            try start.catchUp(net.resetTypes.isEmpty ? net.readableChanges() : nil, in: scope, at: position)
        }
        return live.adopt(start, scope.state.catalog, timeline)
    }

    /// Returns the net changes since the last step.
    private func net(
        _ scope: ReadContext, to target: Position, _ tables: [any ModelTable], _ notifier: FeedNotifier
    ) throws -> StepNet {
        let catalog = scope.state.catalog
        var interest: [UInt32: StepNet.Interest] = [:]
        for type in catalog.types {
            let number = type.type.id
            interest[number] = live.interest(inType: number)
            if dependents.isInterested(inType: number), interest[number] == .nothing { interest[number] = .after }
        }
        for table in tables where !table.isEmpty {
            if let number = table.typeNumber(catalog), interest[number] == .nothing { interest[number] = .after }
        }
        return try net(scope, from: position, to: target, interest, notifier)
    }

    /// Returns the net changes between two positions.
    ///
    /// - Parameter interest: the part of each type's changes that is of interest, by type number.
    private func net(
        _ scope: ReadContext, from start: Position, to target: Position, _ interest: [UInt32: StepNet.Interest],
        _ notifier: FeedNotifier
    ) throws -> StepNet {
        var net = StepNet(scope.state.catalog) { interest[$0] ?? .nothing }
        var position = start
        let count = Int(clamping: target.sequence - position.sequence)
        for entry in notifier.recent(after: position.sequence, limit: count) {
            let part = try entry.part(scope.state)
            // If another process has written in between, the rest is read from the store.
            guard part.header.previousHash == position.hash else { break }
            net.add(part)
            position = part.position
        }
        try net.read(scope, from: position, to: target, limit: AppliedState.changeLimit)
        return net
    }
}
