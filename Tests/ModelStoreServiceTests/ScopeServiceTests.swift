#if ServiceLifecycle && Logging && Metrics
import InMemoryLogging
import Logging
import ModelStore
import ModelStoreService
import ServiceLifecycle
import TestSupport
import Testing

/// Scopes in a service group, and the registry's notices in a log.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ScopeServiceTests {
    private struct Failure: Error {}

    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test func `a scope closes when the group shuts down, and its tasks have ended then`() async throws {
        let store = try TestStore.temporary()
        let notes = Notes<String>()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let app = try store.scope("app")
        let service = ScopeService("work", in: app) { scope in
            try scope.onClose { notes.note("closes") }
            try scope.task {
                begin.yield()
                try? await cancellation()
                notes.note("task ends")
            }
            try await cancellation()
        }
        let group = ServiceGroup(services: [ScopeService(app), service], logger: Self.logger)
        let running = Task { try await group.run() }
        for await _ in begun { break }
        #expect(store.ownership.report().scopes.map(\.path) == ["app", "app/work"])
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(Set(notes.values) == ["closes", "task ends"])
        #expect(store.ownership.report().scopes.isEmpty && app.isClosed)
    }

    @Test func `a service's body is in its scope, and waiting there for its end is over with the group`() async throws {
        let store = try TestStore.temporary()
        let notes = Notes<String>()
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let service = ScopeService("work", of: store) { scope in
            #expect(Scope.current === scope)
            begin.yield()
            await scope.waitUntilClosed()
            notes.note("body ends")
        }
        let group = ServiceGroup(services: [service], logger: Self.logger)
        let running = Task { try await group.run() }
        for await _ in begun { break }
        await group.triggerGracefulShutdown()
        // A service that returns by itself cancels the group.
        _ = await running.result
        #expect(notes.values == ["body ends"] && store.ownership.report().scopes.isEmpty)
    }

    @Test func `a service's error is the group's, and its scope is closed`() async throws {
        let store = try TestStore.temporary()
        await #expect(throws: Failure.self) {
            try await ScopeService("work", of: store) { _ in throw Failure() }.run()
        }
        #expect(store.ownership.report().scopes.isEmpty)
    }

    @Test func `what the registry finds is a line of the log, with its place`() async throws {
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in handler }
        var options = StoreOptions()
        options.ownership.logNotices(to: logger)
        let store = try TestStore.temporary(options)
        let scope = try store.scope("app")
        for _ in 0..<3 { try scope.task { throw Failure() } }
        scope.close()
        await scope.waitUntilClosed()
        // The registry reports the notice once per source line.
        #expect(handler.entries.count == 1)
        let line = try #require(handler.entries.first)
        #expect(line.level == .error && line.metadata["scope"] == "app" && line.metadata["code"] == "taskFailed")
        #expect(line.metadata["line"]?.description.contains("ScopeServiceTests.swift") == true)
    }
}
#endif
