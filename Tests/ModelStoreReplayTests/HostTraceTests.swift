import Foundation
import ModelStoreReplay
import ModelStoreTesting
import Testing

/// A trace of `hostwatch` on a real machine, at work while others built programs on it, and a threshold was set to and fro with
/// `store-cli`, so that alerts came and went. What names the machine and its programs is redacted.
@Suite("The trace of a real machine") struct HostTraceTests {
    @Test func `It is replayed as it was`() async throws {
        let summary = try #require(try await expectReplay("Fixtures/hostwatch.trace"))
        #expect(summary.changeSetCount > 2_000 && summary.deliveryCount > 2_000)
    }
}
