import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// Random requests over random records, answered by every path that could answer them, against an oracle.
@Suite struct RequestOracleTests {
    private static let blocks: [Range<UInt64>] = {
        if let text = ProcessInfo.processInfo.environment["MODELSTORE_SEED"], let seed = UInt64(text) {
            return [seed..<seed + 1]
        }
        return (0..<UInt64(TestLength.runs(10, long: 200))).map { $0 * 10..<($0 + 1) * 10 }
    }()

    @Test(arguments: blocks)
    func `every path gives what evaluating each record gives`(seeds: Range<UInt64>) throws {
        for seed in seeds {
            var generator = RequestGenerator(random: TestRandom(seed: seed))
            let store = try Store.temporary(records: Sensor.self, Slot.self)
            try fill(store, &generator)
            for name in ["Sensor", "Slot"] {
                let index = try store.typeIndex(named: name)
                for number in 0..<40 {
                    try check(store, index, &generator, "seed \(seed), \(name), request \(number)")
                }
            }
            store.close()
        }
    }

    private func fill(_ store: Store, _ generator: inout RequestGenerator) throws {
        var generatorCopy = generator
        let count = generatorCopy.pick([0, 1, 5, 60])
        var sensors: [Sensor] = []
        var slots: [Slot] = []
        for number in 0..<count {
            sensors.append(
                Sensor(
                    id: "\(generatorCopy.pick(["", "a", "b"]))\(number)",
                    room: generatorCopy.pick(RequestGenerator.texts),
                    serial: "\(generatorCopy.pick(RequestGenerator.texts))\(number)",
                    celsius: generatorCopy.pick(RequestGenerator.doubles), note: generatorCopy.optionalText(),
                    floor: generatorCopy.pick(Floor.allCases)))
            slots.append(
                Slot(
                    room: generatorCopy.pick(["a", "a\u{0}", "b", "日本"]), hour: Int16(number - 3),
                    guest: generatorCopy.optionalText(), minutes: generatorCopy.chance(40) ? nil : UInt8(number)))
        }
        generator = generatorCopy
        let (allSensors, allSlots) = (sensors, slots)
        try store.write { tx in
            for sensor in allSensors { try tx.insert(sensor) }
            for slot in allSlots { try tx.upsert(slot) }
        }
    }

    private func check(
        _ store: Store, _ typeIndex: Int, _ generator: inout RequestGenerator, _ place: String
    ) throws {
        let (type, all) = try store.read { tx in
            var all: [DynamicRecord] = []
            try tx._reading.forEachDynamic(typeIndex: typeIndex) {
                all.append($0)
                return true
            }
            return (tx._reading.catalog.types[typeIndex].type, all)
        }
        var request = generator.request(type)
        var last: Int?
        if generator.chance(25), let place = all.indices.randomElement(using: &generator.random) {
            last = place
            request.position = NaiveQuery(type: type, request: request).position(all[place])
        }
        // As texts: a record that holds NaN does not equal itself.
        let expected = NaiveQuery(type: type, request: request, last: last).run(all).map { "\($0)" }
        var unlimited = request
        (unlimited.limit, unlimited.offset, unlimited.isDistinct) = (nil, 0, false)
        let matching = Set(NaiveQuery(type: type, request: unlimited, last: last).run(all).map { "\($0)" })
        // Now and then so few that all records are walked instead of gathering keys.
        let keyByteLimit = generator.pick([1 << 20, 1 << 20, 200])
        try store.read { tx in
            for path in [nil] + (try tx._reading.paths(request, typeIndex: typeIndex)).map(Optional.init) {
                var found: [String] = []
                try tx._reading.fetchDynamic(request, typeIndex: typeIndex, by: path, keyByteLimit: keyByteLimit) {
                    found.append("\($0)")
                    return true
                }
                // No order was asked for without one.
                let isRight =
                    request.order.isEmpty
                    ? found.count == expected.count && Set(found).isSubset(of: matching) : found == expected
                if !isRight {
                    let explanation = try tx._reading.explain(request, typeIndex: typeIndex, by: path)
                    Issue.record("\(place), by \(String(describing: path)): \(request)\n\(explanation)")
                }
            }
            // Without an order it is not said which of equal rows counts.
            if generator.chance(30), !request.isDistinct || !request.order.isEmpty {
                let naive = NaiveQuery(type: type, request: request, last: last)
                try checkFields(tx._reading, typeIndex, naive, all, &generator, place)
            }
            let count = try tx._reading.count(request, typeIndex: typeIndex)
            if count != expected.count { Issue.record("\(place): counted \(count), not \(expected.count): \(request)") }
            if request.isDistinct || generator.chance(80) { return }
            request.limit = generator.pick([1, 2, 3, 7, 60])
            let pages = try pages(request, tx, typeIndex)
            var whole = request
            whole.limit = nil
            let rows = NaiveQuery(type: type, request: whole, last: last).run(all).map { "\($0)" }
            if pages != rows { Issue.record("\(place): the pages of \(request) are \(pages), not \(rows)") }
        }
    }

    /// All pages of a request, one after the other.
    private func pages(
        _ request: Request, _ tx: borrowing ReadTransaction, _ typeIndex: Int
    ) throws -> [String] {
        var request = request
        var rows: [String] = []
        while true {
            let page = try tx._reading.dynamicPage(request, typeIndex: typeIndex)
            #expect(page.next == nil || page.rows.count == request.limit)
            rows += page.rows.map { "\($0)" }
            guard let next = page.next else { return rows }
            let token = try #require(PageToken(next.description))
            #expect(token == next)
            request.goOn(.token(token))
        }
    }

    /// Some fields alone, which an index may give without the records.
    private func checkFields(
        _ reading: ReadingScope, _ typeIndex: Int, _ naive: NaiveQuery, _ all: [DynamicRecord],
        _ generator: inout RequestGenerator, _ place: String
    ) throws {
        let type = reading.catalog.types[typeIndex].type
        let index = generator.pick(type.indexes.map { $0.fields.compactMap(type.place(ofField:)) })
        let places = generator.chance(70) ? Array(index.reversed()) : Array(type.fields.indices)
        var ordered = naive.request
        let request = ordered
        // All of them in an order that tells what comes where.
        if ordered.order.isEmpty { ordered.limit = nil }
        if ordered.order.isEmpty { ordered.offset = 0 }
        let expected = NaiveQuery(type: type, request: ordered, last: naive.last).run(all).map { record in
            "\(places.map { record.values[$0] })"
        }
        for path in [nil] + (try reading.paths(request, typeIndex: typeIndex)).map(Optional.init) {
            var found: [String] = []
            try reading.fetchFields(ordered, places: places, typeIndex: typeIndex, by: path) {
                found.append("\($0)")
                return true
            }
            let isRight = ordered.order.isEmpty ? found.sorted() == expected.sorted() : found == expected
            if !isRight { Issue.record("\(place), fields \(places) by \(String(describing: path)): \(request)") }
        }
    }
}
