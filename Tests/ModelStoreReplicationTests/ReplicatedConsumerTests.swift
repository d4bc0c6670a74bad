import Foundation
import ModelStore
import ModelStoreTesting
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import ModelStoreReplication
@testable import StoreRuntime

@Record
struct Sale {
    @ID var id: Int
    var amount: Int
}

@Record
struct Sum {
    @ID var id: Int
    var amount: Int
    var count: Int
}

/// Consumers of a store that a log keeps equal on several nodes.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class ReplicatedConsumerTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "consumers-\(UUID())")
    private let log = MemoryLog()

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func open(_ name: String, _ log: MemoryLog) async throws -> Store {
        try await Store.open(
            at: directory.appending(path: name).path, records: Sale.self, Sum.self,
            replication: .shared(log, node: name))
    }

    /// Adds every sale to the sum, until the task is cancelled.
    private func run(_ store: Store, _ options: ConsumerOptions = ConsumerOptions()) -> Task<Void, any Error> {
        Task {
            try await store.consume("totals", options) { set, tx in
                for change in try set.changes(of: Sale.self) {
                    guard let sale = change.after else { continue }
                    var sum = try tx.get(Sum.self, id: 0) ?? Sum(id: 0, amount: 0, count: 0)
                    sum.amount += sale.amount
                    sum.count += 1
                    try tx.upsert(sum)
                }
            }
        }
    }

    /// Options that report when the consumer is held, waits, or is interrupted.
    private func options(_ report: AsyncStream<String>.Continuation) -> ConsumerOptions {
        var options = ConsumerOptions()
        options.takeoverInterval = .milliseconds(5)
        options.retry.firstDelay = .milliseconds(5)
        options.retry.longestDelay = .milliseconds(5)
        options.onEvent = { event in
            switch event {
            case .waiting: report.yield("waiting")
            case .active: report.yield("active")
            case .interrupted(let error): report.yield("\(error.code)")
            default: break
            }
        }
        return options
    }

    /// Waits until a node knows the consumer, which another task creates.
    private func waitForConsumer(_ store: Store, named name: String = "totals") async throws {
        while try store.consumers().allSatisfy({ $0.name != name }) { try await nextTurn() }
    }

    private func sell(_ ids: Range<Int>, _ store: Store) async throws -> Position {
        var last: Position?
        for id in ids {
            last = try await store.write(returning: .position) { tx in try tx.insert(Sale(id: id, amount: id)) }
                .position
        }
        return try last ?? store.position
    }

    private func count(_ store: Store) async throws -> Int? {
        try await store.read(.linearizable) { tx in try tx.get(Sum.self, id: 0)?.count }
    }

    @Test func `a consumer goes on at another node where the first one ended`() async throws {
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        let first = run(one)
        try await waitForConsumer(one)
        try await one.wait(forConsumer: "totals", toPass: sell(0..<10, two))
        first.cancel()
        try await first.value
        let second = run(two)
        // The node that does not run the consumer sees how far it is.
        try await one.wait(forConsumer: "totals", toPass: sell(10..<20, one))
        second.cancel()
        try await second.value
        for store in [one, two] { #expect(try await count(store) == 20) }
        #expect(try one.consumers() == two.consumers())
    }

    @Test func `one node at a time has a consumer, and a node that is cut off loses it`() async throws {
        let cable = log.connection()
        let (one, two) = (try await open("one", cable), try await open("two", log.connection()))
        let (events, report) = AsyncStream.makeStream(of: String.self)
        var happened = events.makeAsyncIterator()
        let (others, otherReport) = AsyncStream.makeStream(of: String.self)
        var happenedThere = others.makeAsyncIterator()

        let first = run(one, options(report))
        #expect(await happened.next() == "active")
        let second = run(two, options(otherReport))
        #expect(await happenedThere.next() == "waiting")
        try await two.wait(forConsumer: "totals", toPass: sell(0..<5, two))

        cable.isCut = true
        log.advance(by: .seconds(11))
        #expect(await happenedThere.next() == "active")
        try await two.wait(forConsumer: "totals", toPass: sell(5..<10, two))
        cable.isCut = false
        // The first holder notices when it wants to note a change set, at the latest.
        _ = try await sell(10..<15, two)
        var interruptions: Set<String> = []
        while let event = await happened.next() {
            if event == "waiting" { break }
            interruptions.insert(event)
        }
        #expect(interruptions.isSubset(of: ["consumerLost", "logUnavailable"]) && !interruptions.isEmpty)
        second.cancel()
        try await second.value
        #expect(await happened.next() == "active")
        try await two.wait(forConsumer: "totals", toPass: sell(15..<20, two))
        first.cancel()
        try await first.value
        for store in [one, two] { #expect(try await count(store) == 20) }
    }

    @Test func `a node takes over at once what a killed process of the same node has held`() async throws {
        let taken = try await LogTurn.take("consumer/totals", node: "one", log)
        let one = try await open("one", log.connection())
        let (events, report) = AsyncStream.makeStream(of: String.self)
        var happened = events.makeAsyncIterator()
        let running = run(one, options(report))
        #expect(await happened.next() == "active")
        running.cancel()
        try await running.value
        withExtendedLifetime(taken) {}
    }

    @Test func `a consumer that is reset or deleted on one node is so on the other`() async throws {
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        let first = run(one)
        try await waitForConsumer(one)
        try await one.wait(forConsumer: "totals", toPass: sell(0..<3, one))
        first.cancel()
        try await first.value
        _ = try await two.read(.linearizable) { _ in }
        try await two.resetConsumer("totals", to: .oldest)
        _ = try await one.read(.linearizable) { _ in }
        let second = run(one)
        try await one.wait(forConsumer: "totals", toPass: one.position)
        second.cancel()
        try await second.value
        #expect(try await count(one) == 6)
        try await two.deleteConsumer("totals")
        _ = try await one.read(.linearizable) { _ in }
        #expect(try one.consumers().isEmpty)
    }

    @Test func `a node that has stopped gives its turn up`() async throws {
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        let isStopped = Mutex(false)
        let turn = try await LogTurn.take("consumer/totals", node: "one", log) { !isStopped.withLock { $0 } }
        #expect(turn != nil)
        #expect(await turn?.renew() == true)
        #expect(try await LogTurn.take("consumer/totals", node: "two", log) == nil)
        isStopped.withLock { $0 = true }
        #expect(await turn?.renew() == false)
        #expect(try await LogTurn.take("consumer/totals", node: "two", log) != nil)
        for store in [one, two] { store.close() }
    }

    @Test func `a consumer whose node lacks change sets is expired there, and nowhere else`() async throws {
        let narrow = log.connection()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 10
        let one = try await open("one", log)
        let two = try await Store.open(
            at: directory.appending(path: "two").path, records: Sale.self, Sum.self, options: options,
            replication: .shared(narrow, node: "two"))
        var lease = ConsumerOptions()
        lease.lease = .none
        _ = try await one.holdConsumer("totals", lease)
        _ = try await sell(0..<200, one)
        _ = try await two.read(.linearizable) { _ in }
        let error = await #expect(throws: StoreError.self) { _ = try await two.holdConsumer("totals", lease) }
        #expect(error?.code == .consumerExpired)
        #expect(try one.consumers().map(\.isExpired) == [false])
        let running = run(one, lease)
        try await two.wait(forConsumer: "totals", toPass: one.position)
        running.cancel()
        try await running.value
        #expect(try await count(two) == 200)
    }

    @Test func `a step that does not fit into an entry is divided`() async throws {
        let small = MemoryLog(maximumEntryByteCount: 20_000)
        let one = try await open("small", small)
        _ = try await sell(0..<20, one)
        let copying = Task {
            try await one.consume("copies", ConsumerOptions(only: FeedFilter(Sale.self))) { set, tx in
                for change in try set.changes(of: Sale.self) {
                    guard let sale = change.after, sale.id < 1_000 else { continue }
                    for copy in 1...40 { try tx.insert(Sale(id: sale.id * 1_000 + copy * 1_000_000, amount: copy)) }
                }
            }
        }
        try await waitForConsumer(one, named: "copies")
        try await one.wait(forConsumer: "copies", toPass: one.position)
        copying.cancel()
        try await copying.value
        #expect(try one.read { try $0.fetch(Sale.self).count } == 20 + 20 * 40)
    }

    @Test func `a consumer's row is read back from the entry's bytes`() throws {
        let rows = [
            ConsumerRow(name: "gone", state: nil, interest: []),
            ConsumerRow(name: "tötals", state: [1, 2, 3], interest: Array("{}".utf8)),
        ]
        let entry = LogEntry(
            after: .start(generation: 1), node: "one", LoggedEntry(changeSets: [], consumers: rows))
        #expect(try LogEntry(entry.bytes).content.consumers == rows)
    }
}
