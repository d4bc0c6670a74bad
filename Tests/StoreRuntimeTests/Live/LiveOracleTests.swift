import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random live requests over random writes. After each step every result equals a fetch, and the difference leads from the
/// previous result to the new one.
@Suite struct LiveOracleTests {
    private static let blocks = TestLength.seedBlocks(12, long: 600, of: 10)

    @Test(.timeLimit(.minutes(20)), arguments: blocks)
    func `after each step every live result is what a fetch gives`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            do {
                try run(seed)
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }

    private func run(_ seed: UInt64) throws {
        let store = try Store.temporary(records: Sensor.self, Slot.self)
        defer { store.close() }
        var writer = LiveWriter(seed: seed)
        try writer.write(store, count: writer.generator.pick([0, 3, 30, 60]))
        let lookahead = writer.generator.pick([nil, 0, 1, 2])
        var harness = try LiveHarness(store, lookahead: lookahead)
        for _ in 0..<writer.generator.pick([4, 12]) { try add(&harness, &writer) }
        for number in 0..<10 {
            if writer.generator.chance(15) { try add(&harness, &writer) }
            if writer.generator.chance(10), !harness.subjects.isEmpty {
                harness.remove(writer.generator.random.below(harness.subjects.count))
            }
            for _ in 0..<writer.generator.pick([1, 1, 1, 2, 3]) {
                try writer.write(store, count: writer.generator.pick([1, 1, 1, 2, 3, 8, 40]))
            }
            do {
                try harness.step(reversed: writer.generator.chance(50))
            } catch {
                throw Mismatch("lookahead \(String(describing: lookahead)), step \(number): \(error)")
            }
        }
    }

    private func add(_ harness: inout LiveHarness, _ writer: inout LiveWriter) throws {
        let typeIndex = writer.generator.random.below(2)
        let type = harness.store.recordTypes[typeIndex]
        var request = writer.generator.request(type)
        (request.isDistinct, request.fields) = (false, nil)
        if request.limit == 1_000 { request.limit = nil }
        let (isCount, isApart) = (writer.generator.chance(20), writer.generator.chance(30))
        let places = type.fields.indices.filter { _ in writer.generator.chance(30) }
        let fields = !isCount && writer.generator.chance(30) ? FieldIndexSet(places) : nil
        if isApart {
            try harness.start(request, typeIndex: typeIndex, fields: fields, isCount: isCount)
        } else if isCount {
            try harness.addCount(request, typeIndex: typeIndex)
        } else {
            try harness.add(request, typeIndex: typeIndex, fields: fields)
        }
    }
}
