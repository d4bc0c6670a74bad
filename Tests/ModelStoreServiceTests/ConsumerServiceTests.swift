#if ServiceLifecycle && Logging && Metrics
import Logging
import ModelStore
import ModelStoreService
import ServiceLifecycle
import TestSupport
import Testing

/// Consumers in a service group.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ConsumerServiceTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private static func group(_ services: any Service...) -> ServiceGroup {
        ServiceGroup(services: services, logger: logger)
    }

    /// Options of a consumer that records each change set separately.
    private static var noting: ConsumerOptions {
        var options = ConsumerOptions()
        options.changeSetsPerCommit = 1
        return options
    }

    @Test func `a graceful shutdown ends after the transaction at hand, and the next run goes on there`() async throws {
        let files = TestStore()
        for round in 0..<5 {
            let store = try files.open()
            let isUnderWay = Signal()
            let group = Self.group(
                StoreService(store),
                ConsumerService(store).consuming("totals", Self.noting) { set, tx in
                    try addUp(set, &tx)
                    isUnderWay.give()
                })
            let running = Task { try await group.run() }
            try await store.sell(round * 50..<round * 50 + 50)
            await isUnderWay.wait()
            await group.triggerGracefulShutdown()
            try await running.value

            // The service has closed the store. Its current content is the consumer's result.
            await #expect(throws: StoreError.self) { try await store.sell(1_000..<1_001) }
            let again = try files.open()
            let consumer = try #require(try again.consumers().first)
            #expect(!consumer.isHeld)
            let dealt = try await Self.sales(upTo: consumer.position, again)
            #expect(try again.total() == dealt * 100)
            await again.shutdown()
        }
        let store = try files.open()
        let consuming = Task { try await ConsumerService(store).consuming("totals") { try addUp($0, &$1) }.run() }
        while try store.total() < 25_000 { try await nextTurn() }
        consuming.cancel()
        try await consuming.value
        #expect(try store.total() == 25_000)
    }

    @Test func `a store that closes before its consumers is an error that says how to list the services`() async throws
    {
        let store = try TestStore().open()
        let isActive = Signal()
        var options = ConsumerOptions()
        options.onEvent = { if case .active = $0 { isActive.give() } }
        let service = ConsumerService(store).consuming("totals", options) { try addUp($0, &$1) }
        let running = Task { try await service.run() }
        await isActive.wait()
        await store.shutdown()
        let error = await #expect(throws: StoreError.self) { try await running.value }
        #expect(error?.code == .closed)
        #expect(error?.message == #"the store was closed while its consumer "totals" ran"#)
        #expect(error?.remedy?.hasPrefix("list StoreService before the services that use the store") == true)
    }

    @Test func `a consumer that is listed twice is an error before any of them begins`() async throws {
        let store = try TestStore().open()
        let service = ConsumerService(store)
            .consuming("totals") { try addUp($0, &$1) }
            .consuming("mailer") { (_: ChangeSet) in }
            .consuming("totals") { (_: ChangeSet) in }
        let error = await #expect(throws: StoreError.self) { try await service.run() }
        #expect(error?.code == .invalidValue)
        #expect(error?.text == #"the service lists the consumer "totals" twice; give each consumer its own name"#)
        #expect(try store.consumers().isEmpty)
        await store.shutdown()
    }

    /// Returns the number of sales in the feed up to a position.
    private static func sales(upTo position: Position, _ store: Store) async throws -> Int {
        if position.sequence == 0 { return 0 }
        var count = 0
        for try await set in store.changes(from: .oldest) {
            count += try set.changes(of: Sale.self).count
            if set.sequence >= position.sequence { break }
        }
        return count
    }

    @Test func `a graceful shutdown does not cancel an effect elsewhere, and has it noted`() async throws {
        let files = TestStore()
        let store = try files.open()
        try await store.sell(0..<3)
        let hasBegun = Signal()
        let isFinished = Notes<Bool>()
        let target = try store.position.sequence
        let group = Self.group(
            StoreService(store),
            ConsumerService(store).consuming("mailer", Self.noting) { set in
                guard set.sequence == target else { return }
                hasBegun.give()
                try await gracefulShutdown()
                // Gives a wrong cancellation time to arrive.
                for _ in 0..<1_000 { await Task.yield() }
                isFinished.note(!Task.isCancelled)
            })
        let running = Task { try await group.run() }
        await hasBegun.wait()
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(isFinished.values == [true])
        let again = try files.open()
        #expect(try again.consumers().first?.position.sequence == target)
    }

    @Test func `cancelling cancels an effect elsewhere, which comes again; what was done before is noted`() async throws
    {
        let store = try TestStore.temporary()
        try await store.sell(0..<3)
        let target = try store.position.sequence
        let hasBegun = Signal()
        let service = ConsumerService(store).consuming("mailer") { set in
            guard set.sequence == target else { return }
            hasBegun.give()
            try await cancellation()
        }
        let running = Task { try await service.run() }
        await hasBegun.wait()
        running.cancel()
        try await running.value
        let consumer = try #require(try store.consumers().first)
        #expect(consumer.position.sequence == target - 1)
        #expect(!consumer.isHeld)
    }

    @Test func `at cancellation a store service closes the store after the services it was given`() async throws {
        let files = TestStore()
        let store = try files.open()
        try await store.sell(0..<3)
        let target = try store.position.sequence
        let hasBegun = Signal()
        let consumers = ConsumerService(store).consuming("mailer") { set in
            guard set.sequence == target else { return }
            hasBegun.give()
            // The task ends without an error although it is cancelled.
            try? await cancellation()
        }
        let group = Self.group(StoreService(store, after: [consumers]))
        let running = Task { try await group.run() }
        await hasBegun.wait()
        running.cancel()
        _ = await running.result
        let again = try files.open()
        #expect(try again.consumers().first?.position.sequence == target)
    }

    @Test func `when one consumer fails the others let go and the error comes out`() async throws {
        let store = try TestStore.temporary()
        try await store.sell(0..<3)
        var options = ConsumerOptions()
        options.retry.attempts = 1
        let service = ConsumerService(store)
            .consuming("totals") { try addUp($0, &$1) }
            .consuming("broken", options) { _ in throw Refusal() }
        let error = await #expect(throws: StoreError.self) { try await service.run() }
        #expect(error?.cause is Refusal)
        #expect(try store.consumers().allSatisfy { !$0.isHeld })
    }

    @Test func `a store service closes the store also when a service it was given fails`() async throws {
        let store = try TestStore.temporary()
        try await store.sell(0..<1)
        var options = ConsumerOptions()
        options.retry.attempts = 1
        let consumers = ConsumerService(store).consuming("broken", options) { _ in throw Refusal() }
        let error = await #expect(throws: StoreError.self) { try await StoreService(store, after: [consumers]).run() }
        #expect(error?.cause is Refusal)
        #expect(throws: StoreError.self) { try store.position }
    }
}
#endif
