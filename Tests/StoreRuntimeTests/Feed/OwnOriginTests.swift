import Foundation
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Readers that skip the change sets of their own program.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct OwnOriginTests {
    @Test func `a reset comes although this process has noted it, and its own changes do not`() async throws {
        let folder = try StoreFolder()
        var start: Position
        do {
            let store = try Store(at: folder.path, records: Sensor.self)
            start = try await store.write(returning: .position) {
                try $0.insert(Sensor(id: "a", room: "r", serial: "A"))
            }.position
            store.close()
        }
        try folder.tamper { raw in try raw.put("stranger", [1], [2]) }
        let store = try Store(at: folder.path, records: Sensor.self)
        try await store.write { try $0.insert(Sensor(id: "b", room: "r", serial: "B")) }
        // A consumer's writes carry the consumer's origin, not the program's.
        let consumer = try await store.holdConsumer("another")
        var seen = consumer.changes.makeAsyncIterator()
        let set = try #require(try await seen.next())
        try await store.write { tx in
            try tx.insert(Sensor(id: "c", room: "r", serial: "C"))
            try consumer.acknowledge(set, in: &tx)
        }
        var options = FeedOptions()
        options.skipsOwnOrigin = true
        var feed = store.changes(since: start, options).makeAsyncIterator()
        let reset = try #require(try await feed.next())
        #expect(reset.isReset(Sensor.self) && reset.changes.count == 1)
        #expect(try await feed.next()?.changes(of: Sensor.self).map(\.id) == ["c"])
    }
}
