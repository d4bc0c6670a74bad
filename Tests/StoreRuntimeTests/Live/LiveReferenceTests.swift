import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Live requests through references. The matcher reruns them, and only when a field that they read changes.
@Suite struct LiveReferenceTests {
    /// Runs that once depended on whether the record that an element refers to exists.
    private static let found = [330, 456, 796]

    @Test(arguments: Set(0..<TestLength.runs(30, long: 1_000)).union(found).sorted())
    func `random requests through references stay what a fetch gives`(run: Int) throws {
        let seed = UInt64(run) &* 6_947 &+ 3
        var scenario = ReferenceScenario(seed: seed)
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes(scenario.schemas)
        var random = TestRandom(seed: seed)
        let types = store.recordTypes
        let conditions = ReferenceConditions(types)
        var harness = try LiveHarness(store, lookahead: random.pick([nil, 0, 1]))
        for number in 0..<30 {
            if number % 3 == 0 {
                let typeIndex = random.below(types.count)
                var request = Request()
                request.condition = conditions.condition(typeIndex, depth: 2, &random)
                request.order = conditions.order(typeIndex, &random)
                if random.oneIn(2) { request.limit = random.below(4) }
                if random.oneIn(2) { request.fields = conditions.fields(typeIndex, &random) }
                let fields = random.oneIn(2) ? FieldIndexSet([random.below(types[typeIndex].fields.count)]) : nil
                if random.oneIn(3) {
                    try harness.addCount(request, typeIndex: typeIndex)
                } else {
                    try harness.add(request, typeIndex: typeIndex, fields: fields, dependsOnOthers: true)
                }
            }
            for _ in 0..<random.pick([1, 1, 4]) {
                let operations = scenario.closure()
                // A closure that would leave a dangling reference fails and changes nothing.
                _ = try? store.write { tx in for operation in operations { _ = try tx.apply(operation) } }
            }
            do {
                try harness.step(reversed: random.oneIn(2))
            } catch {
                throw Mismatch("seed \(seed), step \(number): \(error)")
            }
        }
    }

    @Test func `a request through a reference is run again once for a step in which a field that it reads changed`()
        throws
    {
        let reference = FieldType.reference(to: "Room", id: .int64)
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes([
            RecordSchema(
                name: "Room",
                fields: [Self.field("id", .int64), Self.field("name", .string), Self.field("size", .int64)],
                id: IDSchema([0]), indexes: []),
            RecordSchema(
                name: "Lamp", fields: [Self.field("id", .int64), Self.field("room", reference)], id: IDSchema([0]),
                indexes: []),
            RecordSchema(name: "Other", fields: [Self.field("id", .int64)], id: IDSchema([0]), indexes: []),
        ])
        try Self.put(store, "Room", [[.int(1), .string("hall"), .int(4)], [.int(2), .string("attic"), .int(9)]])
        try Self.put(store, "Lamp", [[.int(1), .int(1)], [.int(2), .int(2)]])
        var harness = try LiveHarness(store)
        var request = Request()
        request.condition = .comparison(FieldName("room.name"), .equal, .string("hall"))
        let lamps = try harness.add(request, typeIndex: store.typeIndex(named: "Lamp"), dependsOnOthers: true)
        let routing = try store.read { tx in
            harness.matcher.routing(harness.subjects[lamps].id, in: tx._reading.catalog)
        }
        #expect(
            routing
                == .rerun([
                    LiveRouting.Dependency(type: "Lamp", fields: []),
                    LiveRouting.Dependency(type: "Room", fields: ["name"]),
                ]))

        try Self.put(store, "Room", [[.int(1), .string("hall"), .int(5)]])
        try Self.put(store, "Other", [[.int(1)]])
        #expect(try harness.step() == [] && harness.matcher.counters.reruns == 0)
        try Self.put(store, "Room", [[.int(2), .string("hall"), .int(5)]])
        try Self.put(store, "Room", [[.int(1), .string("cellar"), .int(5)]])
        #expect(try harness.step() == [lamps] && harness.matcher.counters.reruns == 1)
        #expect(harness.matcher.rows(harness.subjects[lamps].id).count == 1)
        try Self.put(store, "Room", [[.int(3), .string("shed"), .int(5)]])
        #expect(try harness.step() == [] && harness.matcher.counters.reruns == 2)
        try Self.put(store, "Lamp", [[.int(3), .int(2)]])
        #expect(try harness.step() == [lamps] && harness.matcher.counters.reruns == 3)
    }

    @Test func `a request about the records that refer to its own is run again for what it reads of them, and no more`()
        throws
    {
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes([
            RecordSchema(name: "Room", fields: [Self.field("id", .int64)], id: IDSchema([0]), indexes: []),
            RecordSchema(
                name: "Lamp",
                fields: [
                    Self.field("id", .int64), Self.field("room", .reference(to: "Room", id: .int64)),
                    Self.field("watts", .int64), Self.field("color", .int64),
                ], id: IDSchema([0]), indexes: []),
        ])
        try Self.put(store, "Room", [[.int(1)], [.int(2)]])
        try Self.put(store, "Lamp", [[.int(1), .int(1), .int(60), .int(0)], [.int(2), .int(2), .int(5), .int(0)]])
        var harness = try LiveHarness(store)
        let lamps = InverseName(type: "Lamp", field: "room")
        var bright = Request()
        bright.condition = .inverse(lamps, .comparison(FieldName("watts"), .greater, .int(50)), .greaterOrEqual, 1)
        var crowded = Request()
        crowded.condition = .inverse(lamps, .constant(true), .greater, 1)
        let rooms = try store.typeIndex(named: "Room")
        let (first, second) = (try harness.add(bright, typeIndex: rooms), try harness.add(crowded, typeIndex: rooms))
        let routing = try store.read { tx in
            harness.matcher.routing(harness.subjects[first].id, in: tx._reading.catalog)
        }
        #expect(
            routing
                == .rerun([
                    LiveRouting.Dependency(type: "Room", fields: []),
                    LiveRouting.Dependency(type: "Lamp", fields: ["room", "watts"]),
                ]))
        func reruns(_ lamp: [Int64]) throws -> (changed: [Int], count: Int) {
            let before = harness.matcher.counters.reruns
            try Self.put(store, "Lamp", [lamp.map { .int($0) }])
            return (try harness.step(), harness.matcher.counters.reruns - before)
        }
        // No request reads the color, only the first reads the power, and both read the reference of a lamp.
        #expect(try reruns([1, 1, 60, 7]) == ([], 0))
        #expect(try reruns([2, 2, 70, 7]) == ([first], 1))
        #expect(try reruns([2, 1, 70, 7]) == ([first, second], 2))
        // Inserting or deleting a lamp reruns both.
        #expect(try reruns([3, 2, 80, 7]) == ([first], 2))
        try store.write { tx in
            _ = try tx.delete(dynamicID: [.int(3)], typeIndex: store.typeIndex(named: "Lamp"))
        }
        #expect(try harness.step() == [first])
    }

    private static func field(_ name: String, _ type: FieldType) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: nil, renamedFrom: [], onDelete: .deny)
    }

    private static func put(_ store: Store, _ type: String, _ rows: [[DynamicValue]]) throws {
        let typeIndex = try store.typeIndex(named: type)
        try store.write { tx in
            for values in rows { _ = try tx.put(DynamicRecord(values: values), typeIndex: typeIndex, mode: .upsert) }
        }
    }
}
