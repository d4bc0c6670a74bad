import Testing

@testable import Hostwatch

@Suite struct ReadinessTests {
    @Test func `All parts have begun once each has said so, however often one does`() async {
        let readiness = Readiness(["mounts", "packages"])
        for _ in 0..<3 { readiness.note("mounts") }
        #expect(!readiness.isReached)
        readiness.note("packages")
        #expect(readiness.isReached)
        await readiness.reached()
        readiness.note("mounts")
        #expect(readiness.isReached)
    }

    @Test func `Without parts there is nothing to wait for`() async {
        let readiness = Readiness([])
        #expect(readiness.isReached)
        await readiness.reached()
    }
}
