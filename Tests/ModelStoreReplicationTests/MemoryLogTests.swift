import ModelStoreReplication
import ModelStoreTesting
import ReplicaChecks
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct MemoryLogTests {
    @Test func `a log in memory does what a shared log must do`() async throws {
        let log = MemoryLog(maximumEntryByteCount: 100_000)
        try await LogConformance(letTimePass: { log.advance(by: $0) }) { log.connection() }.run()
    }

    @Test func `a cut connection fails, and another goes on`() async throws {
        let log = MemoryLog()
        let other = log.connection()
        log.isCut = true
        await #expect(throws: SharedLogError.self) { try await log.head() }
        #expect(try await other.head().index == 0)
        log.isCut = false
        #expect(try await log.head().index == 0)
    }
}
