import Foundation
import ModelStore
import TestSupport
import Testing

/// Large change sets, which readers receive in parts.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ChangeSetPartsTests {
    private static func options(_ filters: FeedFilter..., changesPerPart: Int = 10) -> FeedOptions {
        var options = FeedOptions()
        options.filters = filters
        options.changesPerPart = changesPerPart
        return options
    }

    @Test func `the last part comes also where a filter leaves nothing of it, if one came before it`() async throws {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        let hot = FeedFilter(Sensor.self, where: { $0.celsius > 30 })
        for isHot in [true, false] {
            try await store.write { tx in
                for number in 0..<35 {
                    let celsius = isHot && number < 12 ? 40.0 : 20
                    try tx.upsert(ChangeFeedTests.sensor(number + (isHot ? 0 : 100), celsius: celsius))
                }
            }
        }
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1_000, celsius: 50)) }
        var feed = store.changes(since: start, Self.options(hot)).makeAsyncIterator()
        let sets = try await ChangeFeedTests.take(4, &feed)
        #expect(sets.map { $0.sequence - start.sequence } == [1, 1, 1, 3])
        #expect(sets.map(\.part) == [0, 1, 3, 0])
        #expect(sets.map(\.isLastPart) == [false, false, true, true])
        #expect(sets.map(\.changes.count) == [10, 2, 0, 1])
    }

    @Test func `a change set in parts is not put together with others`() async throws {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        for round in 0..<3 {
            for number in 0..<3 { try await store.write { try $0.upsert(ChangeFeedTests.sensor(number)) } }
            try await store.write { tx in
                for number in 0..<25 { try tx.upsert(ChangeFeedTests.sensor(number, celsius: Double(round))) }
            }
        }
        let newest = try store.position
        var options = Self.options()
        options.mergesPending = true
        var feed = store.changes(since: start, options).makeAsyncIterator()
        var last = start
        var sets: [ChangeSet] = []
        while last != newest, let set = try await feed.next() {
            // After a reader resumes at the position of a whole change set, it must not receive any part of it again.
            if set.isLastPart { #expect(set.position.sequence == set.sequence) } else { #expect(set.position == last) }
            sets.append(set)
            if set.isLastPart { last = set.position }
        }
        for part in sets where !part.isLastPart || part.part > 0 { #expect(part.firstSequence == part.sequence) }
        let large = sets.filter { !$0.isLastPart || $0.part > 0 }
        #expect(large.map(\.part) == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    }

    @Test func `a record of a hundred megabytes is read whole`() async throws {
        var storeOptions = StoreOptions()
        storeOptions.limits.recordByteCount = 256 << 20
        let store = try ChangeFeedTests.store(storeOptions)
        let start = try store.position
        let note = String(repeating: "n", count: 100 << 20)
        try await store.write { tx in
            var sensor = ChangeFeedTests.sensor(1)
            sensor.note = note
            try tx.insert(sensor)
        }
        var feed = store.changes(since: start).makeAsyncIterator()
        let set = try #require(try await feed.next())
        #expect(try set.changes(of: Sensor.self).first?.after?.note?.utf8.count == note.utf8.count)
    }
}
