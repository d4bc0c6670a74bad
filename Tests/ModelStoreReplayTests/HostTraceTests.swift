import Foundation
import ModelStoreReplay
import ModelStoreTesting
import Testing

/// A trace of `hostwatch` on a real machine, at work while others built programs on it.
@Suite("The trace of a real machine") struct HostTraceTests {
    @Test func `It is replayed as it was`() async throws {
        let summary = try #require(try await expectReplay("Fixtures/hostwatch.trace"))
        #expect(summary.changeSetCount > 1_000 && summary.deliveryCount > 0)
    }
}
