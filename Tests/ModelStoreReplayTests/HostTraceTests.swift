import Foundation
import ModelStoreReplay
import ModelStoreTesting
import Testing

/// A trace of `hostwatch` on a real machine under load, while other users built programs. `store-cli` raised and lowered a
/// threshold, so that alerts began and ended. The names of the machine and its programs are redacted.
@Suite("The trace of a real machine") struct HostTraceTests {
    @Test func `It is replayed as it was`() async throws {
        let summary = try #require(try await expectReplay("Fixtures/hostwatch.trace"))
        #expect(summary.changeSetCount > 2_000 && summary.deliveryCount > 2_000)
    }
}
