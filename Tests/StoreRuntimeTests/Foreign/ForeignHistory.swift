import StoreEngine
import TestSupport

@testable import StoreRuntime

/// A store that this process and a child write to, in turns and concurrently, with the subjects that observe it here.
struct ForeignHistory {
    /// How a round writes.
    private enum Round: CaseIterable {
        /// One write by this process.
        case own
        /// One write by the child.
        case foreign
        /// Several writes by both processes, in an order that the seed repeats, applied as one step.
        case held
        /// Several concurrent writes by both processes, checked while they run.
        case free
    }

    private let folder: StoreFolder
    private let child: ForeignChild
    let store: Store
    var random: TestRandom
    var subjects: [any ForeignSubject] = []
    var hasEffects = false
    /// The writes so far, for failure messages.
    private(set) var trace: [String] = []

    init(seed: UInt64, _ child: ForeignChild, types: [any Record.Type], adding schemas: [RecordSchema] = []) throws {
        self.child = child
        random = TestRandom(seed: seed)
        folder = try StoreFolder()
        var options = StoreOptions()
        options.durability = .relaxed
        store = try Store(at: folder.path, records: types, options: options)
        if !schemas.isEmpty { try store.addTypes(schemas) }
        try child.open(folder.path)
    }

    func end() async throws {
        // A running effect holds a view. To end it, the effect needs a thread of the cooperative pool.
        await store.shutdown()
        try child.close()
    }

    /// Makes some writes, then checks all subjects.
    ///
    /// - Parameter operations: Returns the operations of the next write.
    mutating func round(_ operations: () -> [DynamicOperation]) async throws {
        let round = random.pick(Round.allCases)
        trace.append("\(round):")
        switch round {
        case .own: await write(operations())
        case .foreign:
            let position = try foreignWrite(operations())
            if let position { try await store.waitUntilPublished(position) }
        case .held: try await hold(operations)
        case .free: try await hurry(operations)
        }
        try look()
        for subject in subjects { try await subject.follow(in: store) }
    }

    private func look() throws {
        try store.view { view in for subject in subjects { try subject.look(in: view) } }
    }

    private mutating func hold(_ operations: () -> [DynamicOperation]) async throws {
        try store.core.dispatcher.start()
        // Effects with pending runs open views, and opening a view is a step.
        for subject in subjects where hasEffects { subject.forget() }
        store.core.dispatcher.hold()
        do {
            for _ in 0..<random.pick([2, 2, 3, 6]) {
                if random.oneIn(2) {
                    _ = try foreignWrite(operations())
                } else {
                    let operations = operations()
                    trace.append("own \(operations)")
                    _ = try? store.commitUnshown { tx in for operation in operations { _ = try tx.apply(operation) } }
                }
            }
        } catch {
            store.core.dispatcher.resume()
            throw error
        }
        store.core.dispatcher.resume()
        await store.core.dispatcher.waitUntilPublished()
    }

    private mutating func hurry(_ operations: () -> [DynamicOperation]) async throws {
        for subject in subjects { subject.forget() }
        let count = random.pick([2, 4, 8])
        for _ in 0..<count {
            try send(operations())
            if random.oneIn(2) { await write(operations()) }
            if random.oneIn(2) { try look() }
        }
        for _ in 0..<count {
            let position = try child.answer()
            if random.oneIn(3) { try look() }
            if let position { try await store.waitUntilPublished(position) }
        }
    }

    /// Writes in this process.
    mutating func write(_ operations: [DynamicOperation]) async {
        trace.append("own \(operations)")
        // A closure that would leave a dangling reference fails and changes nothing.
        _ = try? await store.write { tx in for operation in operations { _ = try tx.apply(operation) } }
    }

    private mutating func foreignWrite(_ operations: [DynamicOperation]) throws -> Position? {
        try send(operations)
        return try child.answer()
    }

    private mutating func send(_ operations: [DynamicOperation]) throws {
        switch random.below(60) {
        case 0:
            trace.append("foreign type")
            child.sendDeclaration("Foreign\(trace.count)")
        case 1:
            trace.append("foreign intrusion")
            child.sendIntrusion()
        default:
            trace.append("foreign \(operations)")
            child.send(operations, store.recordTypes)
        }
    }
}
