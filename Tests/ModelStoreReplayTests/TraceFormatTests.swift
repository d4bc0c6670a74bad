import ModelStoreReplay
import ModelStoreTesting
import Testing

/// Traces of every format that was ever committed stay here, and must replay forever.
@Suite("Trace formats") struct TraceFormatTests {
    @Test(arguments: [1]) func `A trace that an earlier library wrote is replayed to the same hashes`(
        format: Int
    ) async throws {
        let summary = try #require(try await expectReplay("Fixtures/format-\(format).trace"))
        #expect(summary.changeSetCount == 9 && summary.hasEqualHashes)
    }
}
