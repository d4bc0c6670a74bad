import Foundation
import ModelStore
import ModelStoreReplication
import ModelStoreTesting
import StoreEngine
import TestSupport

@testable import StoreRuntime

/// A mark that a simulated write leaves: which write it was, and how many came before it.
@Record
struct Mark {
    @ID var token: Int
    @Indexed var number: Int
    @Unique var label: String
}

/// The number of writes so far, which every write reads and raises.
@Record
struct Total {
    @ID var id: Int
    var count: Int
}

/// A record with an assigned id, which writes insert, change and delete.
@Record
struct Item {
    @ID(.assigned) var id: Int = 0
    @Unique var name: String
    var text: String
}

/// The number of marks that the consumer has counted.
@Record
struct Tally {
    @ID var id: Int
    var count: Int
}

/// Several replicas of one log in one thread: a seed chooses which of them writes, reads, follows, restarts, loses its connection
/// or fails to commit. Checks what each of them promises.
final class SimulatedCluster {
    private final class Node {
        let name: String
        let path: String
        let log: MemoryLog
        var store: Store?
        /// The count that the last read of this node saw.
        var lastCount = 0
        /// The consumer as this node took it; nil if the node knows that it does not have it. Several nodes may believe to have
        /// it.
        var consumer: FeedConsumer?

        init(name: String, path: String, log: MemoryLog) {
            self.name = name
            self.path = path
            self.log = log
        }
    }

    private enum Fate {
        case committed(Position)
        case notCommitted
        case unknown(UnknownWrite?)
    }

    private let seed: UInt64
    private var random: TestRandom
    private let directory: String
    private let engine = MemoryLog(maximumEntryByteCount: 64 << 10)
    private var nodes: [Node] = []
    private var fates: [Int: Fate] = [:]
    /// The greatest count that a returned write has made.
    private var acknowledgedCount = 0
    /// The sequence number of the last returned write.
    private var acknowledgedSequence: UInt64 = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = TestRandom(seed: seed)
        let shared = "/dev/shm"
        let base =
            FileManager.default.isWritableFile(atPath: shared) ? shared : FileManager.default.temporaryDirectory.path
        directory = base + "/replicas-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for number in 0..<(2 + random.below(2)) {
            let faults = LogFaults(seed: seed &* 31 &+ UInt64(number), share: 0.3)
            nodes.append(
                Node(
                    name: "node\(number)", path: directory + "/\(number)", log: engine.connection(faults: faults)))
        }
    }

    /// Runs the simulation, and checks it.
    func run(stepCount: Int) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        defer { for node in nodes { node.store?.close() } }
        for token in 0..<stepCount { try await step(random.pick(nodes), token) }
        for node in nodes {
            node.log.isCut = false
            node.log.faultShare = 0
            if node.store == nil { try await open(node) }
            try node.store?.replicator?.followNow()
        }
        try finishTally()
        try await settleUnknown()
        try check()
    }

    // MARK: Steps

    private func step(_ node: Node, _ token: Int) async throws {
        guard let store = node.store else { return try await open(node) }
        switch random.below(20) {
        case 0..<8: write(store, token)
        case 8, 9: consume(node, store)
        case 10: try await writeThatFailsToCommit(store, token)
        case 11..<14: try? store.replicator?.followNow()
        case 14: node.log.isCut = true
        case 15, 16: node.log.isCut = false
        case 17:
            store.close()
            node.store = nil
            node.consumer = nil
        case 18: try await readNewest(node, store)
        default: try await trim()
        }
        if case .stopped(let error)? = store.replication?.state { throw Mismatch("\(node.name) stopped: \(error)") }
        try readHere(node)
    }

    private func open(_ node: Node) async throws {
        var options = StoreOptions.deterministic(seed: random.next(), worksOnCallers: true)
        options.durability = .relaxed
        var replication = Replication.shared(node.log, node: node.name)
        replication.followsByItself = false
        do {
            node.store = try await Store.open(
                at: node.path, records: Mark.self, Total.self, Item.self, Tally.self, options: options,
                replication: replication)
        } catch let error as StoreError
            where [.logUnavailable, .outcomeUnknown, .schemaMismatch].contains(error.code)
        {}
    }

    private func write(_ store: Store, _ token: Int) {
        let choice = random.below(8)
        let text = String(repeating: "x", count: random.oneIn(20) ? 20_000 : random.below(40))
        do {
            let committed = try store.write(returning: .position) { tx throws in
                if choice == 0 { throw Refusal() }
                var total = try tx.get(Total.self, id: 0) ?? Total(id: 0, count: 0)
                total.count += 1
                try tx.upsert(total)
                try tx.insert(Mark(token: token, number: total.count, label: "\(token)"))
                if choice < 4 { try tx.insert(Item(name: "\(token)", text: text)) }
                if choice == 4, let first = try tx.fetch(Item.self).first {
                    try tx.delete(Item.self, id: first.id)
                }
                if choice == 5 { try Self.exchangeNames(&tx) }
                if choice == 6 {
                    // The id is used up, although nothing of it is in the feed.
                    let item = try tx.insert(Item(name: "short-lived", text: ""))
                    try tx.delete(Item.self, id: item.id)
                }
                return total.count
            }
            fates[token] = .committed(committed.position)
            guard committed.position.sequence > acknowledgedSequence, committed.result > acknowledgedCount else {
                return broken =
                    "write \(token) returned position \(committed.position.sequence), before an earlier write"
            }
            (acknowledgedSequence, acknowledgedCount) = (committed.position.sequence, committed.result)
        } catch let error as StoreError where error.code == .outcomeUnknown {
            // A commit that failed after its append has no such cause: this node applies it later.
            fates[token] = .unknown(error.cause as? UnknownWrite)
        } catch {
            fates[token] = .notCommitted
        }
    }

    /// The first mistake that a write showed.
    private var broken: String?

    private struct Refusal: Error {}

    /// Exchanges a unique value of two records, which no order of single changes can apply.
    private static func exchangeNames(_ tx: inout WriteTransaction) throws {
        let items = try tx.fetch(Item.self)
        guard items.count > 1, let first = items.first, let last = items.last else { return }
        try tx.update(Item.self, id: first.id) { $0.name = "in between" }
        try tx.update(Item.self, id: last.id) { $0.name = first.name }
        try tx.update(Item.self, id: first.id) { $0.name = last.name }
    }

    /// The commit fails after the log has the entry; the replica must apply it from there.
    private func writeThatFailsToCommit(_ store: Store, _ token: Int) async throws {
        FaultInjector(store).failing(.commit, with: random.oneIn(2) ? .diskFull : .mapFull) { write(store, token) }
    }

    /// Takes the consumer, or counts the marks of its next change sets.
    private func consume(_ node: Node, _ store: Store) {
        do {
            guard let consumer = node.consumer, !random.oneIn(10) else {
                let taken = try store.write { tx in
                    let start = try FeedStart.oldest.position(in: tx._reading)
                    var taken = try tx.makeConsumer(named: "tally", at: start, lease: RetentionLease())
                    taken.generation += 1
                    try tx.put(taken, named: "tally")
                    return taken
                }
                node.consumer = FeedConsumer("tally", store, taken, options: ConsumerOptions(), hold: nil)
                return
            }
            let step = ConsumerStep(consumer: consumer, first: 1, limit: 1 + random.below(5)) { set, tx in
                let count = try set.changes(of: Mark.self).count
                if count == 0 { return }
                var tally = try tx.get(Tally.self, id: 0) ?? Tally(id: 0, count: 0)
                tally.count += count
                try tx.upsert(tally)
            }
            _ = try store.write { tx in try step.run(&tx) }
        } catch {
            if (error as? StoreError)?.code == .consumerLost { node.consumer = nil }
        }
    }

    private func readHere(_ node: Node) throws {
        if let broken { throw Mismatch("\(broken)") }
        guard let store = node.store else { return }
        let count = try Self.count(store)
        guard count >= node.lastCount else { throw Mismatch("a read of \(node.name) went back to \(count)") }
        node.lastCount = count
    }

    private func readNewest(_ node: Node, _ store: Store) async throws {
        if node.log.isCut { return }
        let count = try await store.read(.linearizable) { tx in try tx.get(Total.self, id: 0)?.count ?? 0 }
        guard count >= acknowledgedCount else {
            throw Mismatch("a linearizable read of \(node.name) saw \(count) of \(acknowledgedCount) writes")
        }
    }

    /// Returns the id that the store would assign next.
    private static func nextItem(_ store: Store) throws -> UInt64 {
        try store.read { tx in
            guard let type = tx._reading.catalog.types.first(where: { $0.name == "Item" }) else { return 0 }
            return try tx._reading.greatestAssignedID(of: type)
        }
    }

    private static func count(_ store: Store) throws -> Int {
        try store.read { tx in try tx.get(Total.self, id: 0)?.count ?? 0 }
    }

    /// Removes the entries that every node has applied.
    private func trim() async throws {
        guard nodes.allSatisfy({ $0.store != nil }) else { return }
        let applied = nodes.compactMap { $0.store?.replication?.applied }
        guard let oldest = applied.min(by: { $0.index < $1.index }), oldest.index > 0 else { return }
        try await engine.trim(through: oldest)
    }

    /// Counts the rest of the marks on one node, and brings the others up to there.
    private func finishTally() throws {
        let node = random.pick(nodes)
        guard let store = node.store else { return }
        node.consumer = nil
        func position() throws -> Position? { try store.read { try $0._reading.consumer(named: "tally")?.position } }
        var idleCount = 0
        // A call may take the consumer and not move it.
        while idleCount < 12 {
            let before = try position()
            consume(node, store)
            idleCount = try position() == before ? idleCount + 1 : 0
        }
        for node in nodes { try node.store?.replicator?.followNow() }
    }

    /// Asks what became of the writes without an answer. Each answer is checked as if the write had returned it.
    private func settleUnknown() async throws {
        for (token, fate) in fates.sorted(by: { $0.key < $1.key }) {
            guard case .unknown(let write?) = fate, let store = random.pick(nodes).store else { continue }
            do {
                let outcome = try await store.outcome(of: write)
                fates[token] = outcome == .committed ? .committed(try store.position) : .notCommitted
            } catch let error as StoreError where error.code == .outcomeUnknown {}
        }
        for node in nodes { try node.store?.replicator?.followNow() }
    }

    // MARK: Checking

    private func check() throws {
        if let broken { throw Mismatch("\(broken)") }
        let stores = nodes.compactMap(\.store)
        guard stores.count == nodes.count, let first = stores.first else { throw Mismatch("a node cannot be opened") }
        let position = try first.position
        let content = try first.read { try $0._reading.contentHash() }
        for store in stores.dropFirst() {
            guard try store.position == position else {
                throw Mismatch("the feeds differ: \(try store.position) and \(position)")
            }
            guard try store.read({ try $0._reading.contentHash() }) == content else {
                throw Mismatch("the records differ at \(position)")
            }
        }
        let assigned = try stores.map { try Self.nextItem($0) }
        guard Set(assigned).count == 1 else { throw Mismatch("the next assigned ids differ: \(assigned)") }
        let marks = try first.read { tx in try tx.fetch(Mark.order { $0.number.ascending }) }
        let expected = Array(1...max(1, marks.count)).prefix(marks.count)
        guard marks.map(\.number) == Array(expected) else {
            throw Mismatch("writes did not see each other: \(marks.map(\.number))")
        }
        let found = Set(marks.map(\.token))
        for (token, fate) in fates {
            switch fate {
            case .committed:
                guard found.contains(token) else { throw Mismatch("the returned write \(token) is lost") }
            case .notCommitted:
                guard !found.contains(token) else { throw Mismatch("the refused write \(token) is there") }
            case .unknown: break
            }
        }
        guard try first.read({ try $0.get(Total.self, id: 0)?.count ?? 0 }) == marks.count else {
            throw Mismatch("the total is not the number of writes")
        }
        let consumers = try stores.map { store in try store.read { try $0._reading.consumers() } }
        guard Set(consumers).count == 1 else { throw Mismatch("the consumers differ: \(consumers)") }
        let tally = try first.read { try $0.get(Tally.self, id: 0)?.count ?? 0 }
        guard tally == marks.count else { throw Mismatch("the consumer counted \(tally) of \(marks.count) marks") }
        for store in stores {
            var findings: [String] = []
            _ = try store.verify { findings.append("\($0)") }
            guard findings.isEmpty else { throw Mismatch("verify: \(findings)") }
        }
    }
}
