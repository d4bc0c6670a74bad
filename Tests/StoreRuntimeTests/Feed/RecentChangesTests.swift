import Testing

@testable import StoreEngine
@testable import StoreRuntime

/// The newest change sets that a process keeps in memory.
@Suite struct RecentChangesTests {
    private static func entry(_ sequence: UInt64, _ byteCount: Int) -> WrittenEntry {
        WrittenEntry(sequence: sequence, hash: 0, stream: [UInt8](repeating: 0, count: byteCount))
    }

    @Test func `large change sets are let go, not only left out`() {
        var recent = RecentChanges()
        var kept: [() -> RecentEntry?] = []
        for sequence in 1...UInt64(2_000) {
            recent.add(Self.entry(sequence, 60 << 10))
            weak let entry = recent.after(sequence - 1, limit: 1).first
            kept.append { entry }
        }
        let count = kept.count { $0() != nil }
        #expect(count * (60 << 10) <= 10 << 20, "\(count) are in memory")
        #expect(recent.after(1_990, limit: 100).map(\.written.sequence) == Array(1_991...2_000))
        #expect(recent.after(5, limit: 1).isEmpty)
        #expect(recent.after(2_000, limit: 1).isEmpty)
    }

    @Test func `a hole lets go what was before it`() {
        var recent = RecentChanges()
        for sequence in [1, 2, 3, 5, 6] as [UInt64] { recent.add(Self.entry(sequence, 10)) }
        #expect(recent.after(1, limit: 9).isEmpty)
        #expect(recent.after(4, limit: 9).map(\.written.sequence) == [5, 6])
    }
}
