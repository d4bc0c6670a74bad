import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ScopeObservingTests {
    @Test func `what observes a closed scope leaves nothing with the store`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let scope = try store.scope("part")
        try scope.observe {}
        scope.close()
        for _ in 0..<1_000 { #expect(throws: StoreError.self) { try scope.observe {} } }
        await scope.waitUntilClosed()
        #expect(store.core.dispatcher.dependentCount == 0)
    }
}
