import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite struct LargeStoreTests {
    /// During the rewrite, index pages split and merge, change sets span many fragments, and retention trims the feed.
    @Test func `a store of many records stays healthy while it is rewritten`() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 6
        let store = try Store.temporary(records: Sensor.self, options: options)
        let count = TestLength.runs(2_000, long: 50_000)
        var random = TestRandom(seed: 5)
        let rooms = (0..<40).map { "room \($0)" }
        try store.write { tx in
            for number in 0..<count {
                try tx.insert(Sensor(id: "s\(number)", room: rooms[number % 40], serial: "serial \(number)"))
            }
        }
        for _ in 0..<8 {
            let victims = (0..<count / 4).map { _ in random.below(count) }
            let room = random.pick(rooms)
            try store.write { tx in
                for number in victims {
                    if number % 3 == 0 {
                        try tx.delete(Sensor.self, id: "s\(number)")
                    } else {
                        try tx.upsert(Sensor(id: "s\(number)", room: room, serial: "serial \(number)", note: "moved"))
                    }
                }
            }
        }
        var found: [VerifyFinding] = []
        let summary = try store.verify { found.append($0) }
        #expect(found.isEmpty, "\(found.prefix(5))")
        #expect(summary.recordCount == (try store.all(Sensor.self).count))
        #expect(summary.entryCount == 3 * summary.recordCount)
        #expect(summary.changeSetCount == 6)
    }

    @Test func `a store that is open here is verified through it, and not by its path`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "b", serial: "c")) }
        #expect(storeError { _ = try folder.findings() }?.code == .inUse)
        #expect(try store.findings() == [])
        store.close()
        #expect(try folder.findings() == [])
    }
}
