/// Describes the contents of a registry in words.
struct OwnershipReporter {
    private enum Node: Hashable {
        case scope(UInt64)
        case object(ObjectIdentifier)
    }

    private struct Edge: Hashable {
        let from: Node
        let to: Node
    }

    private let snapshot: OwnershipSnapshot
    /// The name of the registry in the report of another registry.
    private let registry: String?
    private let others: [OwnershipReporter]
    /// The live objects that hold others, by the identity of their weak references. They are kept until the report is complete.
    private let holders: [ObjectIdentifier: KeptObject]
    /// The names of the objects.
    private let labels: [ObjectIdentifier: String]

    /// - Parameter isOther: whether the report is that of another registry.
    init(_ snapshot: OwnershipSnapshot, isOther: Bool = false) {
        self.snapshot = snapshot
        registry = isOther ? snapshot.registry.name : nil
        others = snapshot.others.map { OwnershipReporter($0, isOther: true) }
        let known =
            snapshot.scopes.values.compactMap(\.holder)
            + snapshot.pins.values.joined().compactMap { pin in
                if case .object(let holder) = pin.holder { holder } else { nil }
            }
        let living = known.compactMap { known in known.object.map { (ObjectIdentifier(known), KeptObject($0)) } }
        let holders = Dictionary(living) { first, _ in first }
        self.holders = holders
        labels = Dictionary((snapshot.objects + holders.values).map { ($0.id, ownershipLabel($0.object)) }) {
            first, _ in
            first
        }
    }

    func report(redoLog: RedoLogUsage?) -> OwnershipReport {
        OwnershipReport(
            objects: snapshot.objects.map(describe).sorted { ($0.type, $0.id ?? "") < ($1.type, $1.id ?? "") },
            leaks: leaks, scopes: scopes, cycles: cycles, constructions: constructions, redoLog: redoLog)
    }

    func describe(_ object: KeptObject) -> OwnershipReport.Object {
        let model = object.object as? any OwnedModel
        let isForeign = model.map { $0.registry !== snapshot.registry } ?? false
        return OwnershipReport.Object(
            type: model?.ownedTypeName ?? "\(type(of: object.object))", id: model?.ownedID,
            registry: isForeign ? model?.registry.name : nil, position: model?.appliedSequence,
            pins: pins(of: object) + others.flatMap { $0.pins(of: object) },
            isResting: snapshot.resting.contains(object.id)
                || others.contains { $0.snapshot.resting.contains(object.id) })
    }

    private func pins(of object: KeptObject) -> [OwnershipReport.Pin] { (snapshot.pins[object.id] ?? []).map(describe) }

    var leaks: [OwnershipReport.Leak] {
        snapshot.leaks.map { leak in
            OwnershipReport.Leak(
                object: describe(leak.object), scope: leak.scope, line: snapshot.lines[leak.line],
                ageSeconds: age(leak.since))
        }.sorted { ($0.scope, $0.object.type, $0.object.id ?? "") < ($1.scope, $1.object.type, $1.object.id ?? "") }
    }

    private var scopes: [OwnershipReport.Scope] {
        snapshot.scopes.values.map { open in
            let counts = open.reference?.scope?.counts ?? (pins: 0, tasks: 0, children: 0)
            return OwnershipReport.Scope(
                path: open.path, line: snapshot.lines[open.line], ageSeconds: age(open.since),
                pinCount: counts.pins, taskCount: counts.tasks, childCount: counts.children)
        }.sorted { ($0.path, $0.ageSeconds) < ($1.path, $1.ageSeconds) }
    }

    private var constructions: [OwnershipReport.RepeatedConstruction] {
        snapshot.constructions.map { line, constructed in
            OwnershipReport.RepeatedConstruction(
                line: snapshot.lines[line], type: constructed.type, constructedCount: constructed.constructedCount,
                usedCount: constructed.usedCount)
        }.sorted { ($0.line.file, $0.line.line) < ($1.line.file, $1.line.line) }
    }

    private func describe(_ pin: PinState.Pin) -> OwnershipReport.Pin {
        let holder: String? =
            switch pin.holder {
            case .program(let scope): scope.flatMap(path)
            case .scope(let number): path(number)
            case .object(let holder): name(of: holder)
            }
        return OwnershipReport.Pin(
            kind: pin.kind, holder: holder, registry: registry, line: snapshot.lines[pin.line],
            ageSeconds: age(pin.since))
    }

    private func name(of holder: WeakObject) -> String {
        id(of: holder).flatMap { labels[$0] } ?? "a \(holder.type) that no longer exists"
    }

    /// Returns the identity of a holder while it is alive.
    private func id(of holder: WeakObject) -> ObjectIdentifier? { holders[ObjectIdentifier(holder)]?.id }

    private func path(_ number: UInt64) -> String? { snapshot.scopes[number]?.path }

    private func age(_ since: Int64) -> Double { Double(snapshot.now - since) / 1e9 }

    private var cycles: [OwnershipReport.Cycle] {
        // One edge from an owner to another, however many pins there are, so that a cycle occurs once.
        var lines: [Edge: UInt32] = [:]
        var targets: [Node: [Node]] = [:]
        func add(_ from: Node, _ to: Node, _ line: UInt32) {
            if lines.updateValue(line, forKey: Edge(from: from, to: to)) == nil {
                targets[from, default: []].append(to)
            }
        }
        for (number, open) in snapshot.scopes.sorted(by: { $0.key < $1.key }) {
            if let parent = open.parent { add(.scope(parent), .scope(number), open.line) }
            if let holder = open.holder.flatMap(id) { add(.object(holder), .scope(number), open.line) }
        }
        for object in snapshot.objects {
            let id = object.id
            for pin in snapshot.pins[id] ?? [] {
                switch pin.holder {
                case .program: continue
                case .scope(let number): add(.scope(number), .object(id), pin.line)
                case .object(let holder):
                    if let holder = self.id(of: holder) { add(.object(holder), .object(id), pin.line) }
                }
            }
        }
        let starts = snapshot.scopes.keys.sorted().map(Node.scope) + snapshot.objects.map { .object($0.id) }
        let rings = OwnerCycles.find(targets, from: starts)
        let names = names(of: rings.flatMap { $0 })
        return rings.map { ring in
            let owners = zip(ring, ring.dropFirst()).compactMap { owner, next in
                lines[Edge(from: owner, to: next)].map { line in
                    OwnershipReport.Cycle.Owner(name: names[owner] ?? label(owner), line: snapshot.lines[line])
                }
            }
            return OwnershipReport.Cycle(owners: owners)
        }
    }

    /// Returns the names of owners. Those with one label are numbered.
    private func names(of nodes: [Node]) -> [Node: String] {
        var namesakes: [String: [Node]] = [:]
        for node in nodes where !(namesakes[label(node)]?.contains(node) ?? false) {
            namesakes[label(node), default: []].append(node)
        }
        var names: [Node: String] = [:]
        for (label, nodes) in namesakes {
            for (index, node) in nodes.enumerated() {
                names[node] = nodes.count == 1 ? label : "\(label) #\(index + 1)"
            }
        }
        return names
    }

    private func label(_ node: Node) -> String {
        switch node {
        case .scope(let number): path(number).map { "scope \($0)" } ?? "a closed scope"
        case .object(let id): labels[id] ?? "an object"
        }
    }
}
