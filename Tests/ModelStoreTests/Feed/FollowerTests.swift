import Foundation
import ModelStore
import TestSupport
import Testing

/// Many concurrent followers of the feed, and how they end.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FollowerTests {
    @Test func `of hundreds of followers each has every change set in order, until it is cancelled`() async throws {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        let rounds = 150
        let followers = (0..<300).map { number in
            var options = FeedOptions()
            if number % 3 == 0 { options.filters = [FeedFilter(Sensor.self, where: { $0.celsius > 10 })] }
            if number % 5 == 0 { options.changesPerPart = 3 }
            let feed = store.changes(since: start, options)
            return Task {
                var seen: [UInt64] = []
                for try await set in feed where set.isLastPart {
                    seen.append(set.sequence)
                    if seen.count == rounds { break }
                }
                return seen
            }
        }
        for round in 0..<rounds {
            try await store.write { tx in
                for number in 0...(round % 9) { try tx.upsert(ChangeFeedTests.sensor(round * 10 + number)) }
            }
            if round < 100 { followers[Int.random(in: 0..<followers.count / 2)].cancel() }
        }
        let end = try store.position.sequence
        for (number, follower) in followers.enumerated() {
            if number < followers.count / 2 { follower.cancel() }
            let seen = try await follower.value
            #expect(seen == (1..<UInt64(seen.count + 1)).map { start.sequence + $0 })
            if number >= followers.count / 2 { #expect(seen.last == end) }
        }
    }

    @Test(arguments: 0..<10)
    func `closing a store ends all who follow it with an error, whatever they do at that moment`(
        tenths: Int
    ) async throws {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        let (written, progress) = AsyncStream<Int>.makeStream()
        let writing = Task {
            for number in 0..<200 {
                _ = try? await store.write { try $0.upsert(ChangeFeedTests.sensor(number)) }
                progress.yield(number)
            }
            progress.finish()
        }
        let followers = (0..<20).map { number in
            Task {
                if number % 2 == 0 {
                    for try await _ in store.changes(since: start) {}
                } else {
                    for try await _ in store.recordsAndChanges(of: Sensor.self, chunk: 3) {}
                }
            }
        }
        // The test lets this many writes finish before it closes the store.
        for await number in written where number >= tenths * 20 { break }
        await store.shutdown()
        for follower in followers {
            let error = await #expect(throws: StoreError.self) { try await follower.value }
            #expect(error?.code == .closed)
        }
        await writing.value
    }
}
