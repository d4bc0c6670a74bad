#if ServiceLifecycle && Logging && Metrics
import InMemoryLogging
import Logging
import ModelStore
import ModelStoreService
import TestSupport
import Testing

/// Events as log lines.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LoggingTests {
    private static func logger() -> (Logger, InMemoryLogHandler) {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in handler }
        logger.logLevel = .trace
        return (logger, handler)
    }

    @Test func `commits are traced with what they hold`() async throws {
        let (logger, lines) = Self.logger()
        let told = Notes<StoreEvent>()
        var options = StoreOptions()
        options.onEvent = { told.note($0) }
        options.logEvents(to: logger)
        let store = try TestStore.temporary(options)
        let position = try await store.write(returning: .position) { tx in
            for id in 0..<3 { try tx.insert(Sale(id: id)) }
        }.position
        let line = try #require(lines.entries.last)
        #expect(line.level == .trace && line.message == "committed")
        #expect(line.metadata["position"] == "\(position.sequence)")
        #expect(line.metadata["changes"] == "3" && line.metadata["changeSets"] == "1")
        #expect(line.metadata["closures"] == "1" && line.metadata["failedClosures"] == "0")
        // The earlier event closure still receives all events.
        #expect(told.values.count == lines.entries.count)
    }

    @Test func `a write that changes nothing, or throws, leaves no line`() async throws {
        let (logger, lines) = Self.logger()
        var options = StoreOptions()
        options.logEvents(to: logger)
        let store = try TestStore.temporary(options)
        try await store.write { _ in }
        await #expect(throws: Refusal.self) { try await store.write { _ in throw Refusal() } }
        #expect(lines.entries == [])
    }

    @Test func `the growth of a full map is told at notice`() async throws {
        let (logger, lines) = Self.logger()
        var options = StoreOptions()
        options.addressSpaceByteCount = 1 << 20
        options.logEvents(to: logger)
        let store = try TestStore.temporary(options)
        try await store.write { tx in
            for id in 0..<20_000 { try tx.insert(Sale(id: id)) }
        }
        let growth = lines.entries.filter { $0.message == "the map has grown" }
        #expect(!growth.isEmpty && growth.allSatisfy { $0.level == .notice })
        #expect(growth.last?.metadata["bytes"] == "\(try store.usage().mapByteCount)")
        // The rerun of the closure does not count its changes twice.
        #expect(lines.entries.last?.metadata["changes"] == "20000")
    }

    @Test func `a consumer's way through retries and a skip can be read in the log`() async throws {
        let (logger, lines) = Self.logger()
        let store = try TestStore.temporary()
        try await store.sell(0..<1)
        let target = try store.position.sequence
        let isSkipped = Signal()
        var options = ConsumerOptions()
        options.start = .after(sequence: target - 1)
        options.retry.attempts = 3
        options.failurePolicy = .skip
        options.sleep = { _ in }
        options.onEvent = { if case .skipped = $0 { isSkipped.give() } }
        options.logEvents(of: "mailer", to: logger)
        let consuming = Task { [options] in
            try await store.consume("mailer", options) { _ in throw Refusal() }
        }
        await isSkipped.wait()
        consuming.cancel()
        try await consuming.value
        let entries = lines.entries
        #expect(entries.map(\.level) == [.info, .warning, .warning, .error, .info])
        #expect(entries.allSatisfy { $0.metadata["consumer"] == "mailer" })
        #expect(entries.map { $0.metadata["attempt"] } == [nil, "1", "2", nil, nil])
        #expect(entries[1].metadata["position"] == "\(target)" && entries[1].metadata["error"] == "refused")
        #expect(entries[4].metadata["position"] == "\(target)")
    }

    @Test func `a consumer that gives up logs an error with its cause`() async throws {
        let (logger, lines) = Self.logger()
        let store = try TestStore.temporary()
        try await store.sell(0..<1)
        var options = ConsumerOptions()
        options.start = .after(sequence: try store.position.sequence - 1)
        options.retry.attempts = 1
        options.logEvents(of: "mailer", to: logger)
        await #expect(throws: StoreError.self) { [options] in
            try await store.consume("mailer", options) { _ in throw Refusal() }
        }
        #expect(lines.entries.map(\.level) == [.info, .error, .info])
        #expect(lines.entries[1].metadata["position"] == "\(try store.position.sequence)")
        #expect(lines.entries[1].metadata["error"]?.contains("gave up") == true)
    }
}
#endif
