import StoreEngine
import Testing

@testable import StoreRuntime

/// Conditions and orders through references against a naive evaluation.
@Suite struct ReferenceQueryTests {
    @Test(arguments: 0..<TestLength.runs(40, long: 1_000))
    func `random requests through references find what looking at all records finds`(run: Int) throws {
        let seed = UInt64(run) &* 6_947 &+ 3
        var scenario = ReferenceScenario(seed: seed)
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes(scenario.schemas)
        for _ in 0..<60 {
            let operations = scenario.closure()
            // One that would leave something dangling changes nothing.
            _ = try? store.write { tx in for operation in operations { _ = try tx.apply(operation) } }
        }
        var random = TestRandom(seed: seed)
        let types = store.recordTypes
        try store.read { tx in
            let records = try types.indices.map { type in
                var all: [DynamicRecord] = []
                try tx._reading.forEachDynamic(typeIndex: type) {
                    all.append($0)
                    return true
                }
                return all
            }
            for number in 0..<60 {
                let typeIndex = random.below(types.count)
                var request = Request()
                request.condition = Self.condition(types, typeIndex, depth: 2, &random)
                request.order = (0..<random.below(3)).map { _ in
                    SortTerm(Self.path(types, typeIndex, &random), isDescending: random.oneIn(2))
                }
                if !request.order.isEmpty, random.oneIn(3) { request.limit = random.below(4) }
                var naive = NaiveQuery(type: types[typeIndex], request: request)
                naive.follow = { Self.follow($0, $1, types, typeIndex, records) }
                let expected = naive.run(records[typeIndex])
                for path in try [nil] + tx._reading.paths(request, typeIndex: typeIndex).map(Optional.init) {
                    var found: [DynamicRecord] = []
                    try tx._reading.fetchDynamic(request, typeIndex: typeIndex, by: path) {
                        found.append($0)
                        return true
                    }
                    let isSame = request.order.isEmpty ? Set(found) == Set(expected) : found == expected
                    #expect(isSame, "seed \(seed), request \(number), by \(String(describing: path)): \(request)")
                }
                #expect(try tx._reading.count(request, typeIndex: typeIndex) == expected.count)
            }
        }
    }

    /// A name that goes through up to three references to a number.
    static func path(_ types: [RecordType], _ typeIndex: Int, _ random: inout TestRandom) -> FieldName {
        var parts: [String] = []
        var type = types[typeIndex]
        for _ in 0..<random.below(4) {
            let references = type.fields.filter { $0.type.reference != nil && $0.type.elements == nil }
            guard !references.isEmpty else { break }
            let field = random.pick(references)
            parts.append(field.name)
            type = types.first { $0.name == field.type.reference?.target } ?? type
        }
        return FieldName(parts + ["note"])
    }

    static func condition(
        _ types: [RecordType], _ typeIndex: Int, depth: Int, _ random: inout TestRandom
    ) -> ConditionNode {
        func part(_ random: inout TestRandom) -> ConditionNode {
            condition(types, typeIndex, depth: depth - 1, &random)
        }
        switch random.below(depth > 0 ? 7 : 4) {
        case 0:
            return .membership(
                path(types, typeIndex, &random), (0..<random.below(3)).map { _ in value(&random) })
        case 1, 2, 3:
            return .comparison(
                path(types, typeIndex, &random), random.pick(Comparison.allCases), value(&random))
        case 4: return .not(part(&random))
        case 5: return .and([part(&random), part(&random)])
        default: return .or([part(&random), part(&random)])
        }
    }

    private static func value(_ random: inout TestRandom) -> DynamicValue {
        random.oneIn(4) ? .none : .int(Int64(random.below(3)))
    }

    /// The value at the end of a path, by looking through all records for each step.
    private static func follow(
        _ name: FieldName, _ record: DynamicRecord, _ types: [RecordType], _ typeIndex: Int,
        _ records: [[DynamicRecord]]
    ) -> DynamicValue? {
        guard name.parts.count > 1, let place = types[typeIndex].place(ofFieldNamed: name.parts[0]),
            let target = types.firstIndex(where: { $0.name == types[typeIndex].fields[place].type.reference?.target })
        else { return nil }
        let type = types[target]
        let places = type.idFields.compactMap(type.place(ofField:))
        let found = records[target].first { candidate in
            let id = places.map { candidate.values[$0] }
            return (id.count == 1 ? id[0] : .fields(id)) == record.values[place]
        }
        guard let found else { return DynamicValue.none }
        let rest = FieldName(Array(name.parts.dropFirst()))
        return follow(rest, found, types, target, records)
            ?? type.place(ofFieldNamed: rest.parts[0]).map { found.values[$0] }
    }
}
