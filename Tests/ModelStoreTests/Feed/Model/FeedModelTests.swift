import ChildPrograms
import Foundation
import ModelStore
import TestSupport
import Testing

/// The feed of random histories, compared with a plain list of all writes.
@Suite(.timeLimit(.minutes(20))) struct FeedModelTests {
    private static let seedCount = TestLength.runs(24, long: 2_000)

    @Test(arguments: 0..<seedCount / 2)
    func `from every position on the feed tells what was written, or says that it cannot`(seed: Int) async throws {
        try await Self.run(try FeedModelRun(seed: UInt64(seed)))
    }

    @Test(
        .enabled(if: ForeignWriter.shared != nil, "needs Python with py-lmdb; MODELSTORE_PYTHON names one that has it"),
        arguments: seedCount / 2..<seedCount)
    func `so it does where a program also writes that knows nothing of it`(seed: Int) async throws {
        let foreign = try #require(ForeignWriter.shared)
        try await Self.run(try FeedModelRun(seed: UInt64(seed), foreign: foreign))
    }

    private static func run(_ run: FeedModelRun) async throws {
        for _ in 0..<80 { try await run.step() }
        try await run.readEverything()
        try run.verify()
    }

    @Test func `a write of very many changes is read in parts, and reverted`() async throws {
        let directory = try TestDirectory()
        var options = StoreOptions()
        options.addressSpaceByteCount = 1 << 34
        options.durability = .relaxed
        let store = try Store(at: directory.path + "/store", records: Reading.self, options: options)
        let count = TestLength.runs(40_000, long: 1_000_000)
        let start = try store.position
        try await store.write { tx in
            for number in 0..<count { try tx.insert(Reading(id: number, value: number * 3)) }
        }
        try await store.write { tx in try tx.insert(Reading(id: count, value: 0)) }
        var feedOptions = FeedOptions()
        feedOptions.changesPerPart = 2_000
        var feed = store.changes(since: start, feedOptions).makeAsyncIterator()
        var next = 0
        var parts = 0
        while next < count, let set = try await feed.next() {
            #expect(set.part == parts && set.changes.count <= 2_000)
            parts += 1
            for change in try set.changes(of: Reading.self) {
                guard change.id == next, change.after?.value == next * 3 else {
                    Issue.record("change \(next) is of \(change.id)")
                    return
                }
                next += 1
            }
            #expect(set.isLastPart == (next == count))
        }
        #expect(try await feed.next()?.changes(of: Reading.self).map(\.id) == [count])
        // The revert removes all records again.
        let reverted = try await store.revert(to: start)
        #expect(reverted == 2)
        #expect(try store.read { try $0.count(Reading.self) } == 0)
    }
}

@Record
struct Reading: Equatable {
    @ID var id: Int
    var value: Int
}
