import LMDB
import StoreEngine

/// How far models and live results are, and what of that is not published yet.
struct AppliedState {
    private var applied: Position?
    private var catalogVersion: UInt64 = 0
    private var publications: [Publication] = []
    /// What has older versions, for views that were open when it was published.
    private var withOlder: [ObjectIdentifier: any Versioned] = [:]
    /// The floor that those were pruned below last.
    private var prunedFloor: UInt64 = 0
    /// The live results.
    var live = LiveRegistry()
    /// Those who want to know of changes, and make of them what they will.
    var dependents = LiveDependents()

    /// Whether what was committed is left alone for now.
    var isHeld = false

    /// Whether nothing is applied any more.
    private(set) var isEnded = false

    /// The most records that are netted in one step; with more, everything is read afresh.
    private static let changeLimit = 1_000_000

    /// Where it stands.
    var position: Position {
        guard let applied else { preconditionFailure("steps have not begun") }
        return applied
    }

    var hasPublications: Bool { !publications.isEmpty }

    mutating func begin(at position: Position, catalogVersion: UInt64) {
        applied = position
        self.catalogVersion = catalogVersion
    }

    /// Ends: the store is closed.
    ///
    /// - Returns: who is to be told.
    mutating func end() -> (results: [LiveResult], dependents: [LiveDependent]) {
        isEnded = true
        return (live.results, dependents.all)
    }

    /// Ends because nothing that is committed can be read any more.
    ///
    /// - Returns: what is to be published; nil where that was so before.
    mutating func fail(_ error: StoreError) -> [any Publishing]? {
        if isEnded { return nil }
        isEnded = true
        return live.fail(error) + dependents.all
    }

    /// Takes the oldest step that was not published.
    mutating func takePublication() -> Publication? { publications.isEmpty ? nil : publications.removeFirst() }

    /// Notes what kept versions for views after a step was published, and lets those go that nobody may ask for any more.
    ///
    /// - Returns: whether there are others.
    mutating func keep(_ older: [any Versioned], floor: UInt64) -> Bool {
        // While the same view is open, there is nothing to let go.
        if floor > prunedFloor {
            withOlder = withOlder.filter { $0.value.prune(below: floor) }
            prunedFloor = floor
        }
        for one in older { withOlder[ObjectIdentifier(one)] = one }
        return !withOlder.isEmpty
    }

    /// Applies what was committed up to a snapshot.
    ///
    /// - Parameter willApply: told before models are looked for.
    mutating func apply(
        _ scope: ReadContext, tables: [any ModelTable], recent: Dispatcher,
        willApply: (UInt64) -> Void
    ) throws {
        let head = try scope.feedHead()
        guard head.sequence > position.sequence else { return }
        let target = Position(store: scope.state.identity, head: head)
        willApply(head.sequence)
        let net = try net(scope, to: target, tables, recent)
        // Nothing of another schema can be told by its changes.
        let changes = catalogVersion == scope.state.catalog.version ? try net.readableChanges() : nil
        // Nothing fails from here on: what was applied once must not be applied again.
        var publication = Publication(target.sequence)
        let told = net.resetTypes.isEmpty ? changes : nil
        live.apply(told, in: scope, at: target, &publication)
        if catalogVersion != scope.state.catalog.version { dependents.read(scope.state.catalog) }
        dependents.apply(told, &publication)
        for table in tables {
            let isReset = table.typeNumber(scope.state.catalog).map(net.resetTypes.contains) ?? false
            if let changes, !isReset {
                table.apply(changes, from: position.sequence, in: scope, at: target, &publication)
            } else {
                table.refresh(scope, at: target, &publication)
            }
        }
        applied = target
        catalogVersion = scope.state.catalog.version
        publications.append(publication)
    }

    /// Keeps a result up to date from now on that was run on a snapshot of its own.
    ///
    /// - Parameter scope: the snapshot of the step that was applied last.
    /// - Returns: the result; another one where somebody was quicker with the same request.
    /// - Throws: ``StoreError``: why the request does not fit its type any more; `damaged`.
    mutating func use(
        _ start: LiveStart, in scope: ReadContext, recent: Dispatcher, _ timeline: Timeline
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

    /// The net changes since the last step.
    private func net(
        _ scope: ReadContext, to target: Position, _ tables: [any ModelTable], _ dispatcher: Dispatcher
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
        return try net(scope, from: position, to: target, interest, dispatcher)
    }

    /// The net changes between two positions.
    ///
    /// - Parameter interest: what is of interest of a type, by its number.
    private func net(
        _ scope: ReadContext, from start: Position, to target: Position, _ interest: [UInt32: StepNet.Interest],
        _ dispatcher: Dispatcher
    ) throws -> StepNet {
        var net = StepNet(scope.state.catalog) { interest[$0] ?? .nothing }
        var position = start
        let count = Int(clamping: target.sequence - position.sequence)
        for entry in dispatcher.recent(after: position.sequence, limit: count) {
            let part = try entry.part(store: target.store)
            // What another process has written comes from the store.
            guard part.header.previousHash == position.hash else { break }
            net.add(part)
            position = part.position
        }
        try net.read(scope, from: position, to: target, limit: AppliedState.changeLimit)
        return net
    }
}
