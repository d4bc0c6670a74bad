import StoreEngine
import StoreExpressions
import TestSupport
import Testing

@testable import StoreRuntime

/// Conditions and orders through references, compared with a naive evaluation.
@Suite struct ReferenceQueryTests {
    /// Creates a store with random records that refer to each other.
    private static func store(_ seed: UInt64) throws -> Store {
        var scenario = ReferenceScenario(seed: seed)
        let store = try Store.temporary(records: [])
        try store.addTypes(scenario.schemas)
        for _ in 0..<60 {
            let operations = scenario.closure()
            // A closure that would leave a dangling reference fails and changes nothing.
            _ = try? store.write { tx in for operation in operations { _ = try tx.apply(operation) } }
        }
        return store
    }

    /// Reads a store with random records. The closure receives a generator of random conditions and a naive evaluator.
    private static func read(
        _ seed: UInt64,
        _ body: (
            borrowing ReadTransaction, [RecordType], NaiveRelations, ReferenceConditions, inout TestRandom
        ) throws -> Void
    ) throws {
        let store = try store(seed)
        defer { store.close() }
        var random = TestRandom(seed: seed)
        let types = store.recordTypes
        try store.read { tx in
            try body(tx, types, NaiveRelations(types, tx._reading), ReferenceConditions(types), &random)
        }
    }

    @Test(arguments: 0..<TestLength.runs(40, long: 1_000))
    func `random requests about other records find what looking at all records finds`(run: Int) throws {
        let seed = UInt64(run) &* 6_947 &+ 3
        try Self.read(seed) { tx, types, naive, conditions, random in
            for number in 0..<60 {
                let typeIndex = random.below(types.count)
                var request = Request()
                request.condition = conditions.condition(typeIndex, depth: 2, &random)
                request.order = conditions.order(typeIndex, &random)
                if !request.order.isEmpty, random.oneIn(3) { request.limit = random.below(4) }
                let expected = naive.query(request, typeIndex).run(naive.records[typeIndex])
                var ways: [(path: Plan.Path?, search: ReferrerSearch?)] = [(nil, nil)]
                ways += try tx._reading.paths(request, typeIndex: typeIndex).map { ($0, nil) }
                ways += ReferrerSearch.allCases.map { (nil, $0) }
                for (path, search) in ways {
                    var found: [DynamicRecord] = []
                    try tx._reading.fetchDynamic(request, typeIndex: typeIndex, by: path, search: search) {
                        found.append($0)
                        return true
                    }
                    let isSame = request.order.isEmpty ? Set(found) == Set(expected) : found == expected
                    let way = "by \(String(describing: path)), \(String(describing: search))"
                    #expect(isSame, "seed \(seed), request \(number), \(way): \(request)")
                }
                #expect(try tx._reading.count(request, typeIndex: typeIndex) == expected.count)
            }
        }
    }

    @Test(arguments: 0..<TestLength.runs(40, long: 1_000))
    func `pages in an order through references are all rows in that order`(run: Int) throws {
        let seed = UInt64(run) &* 5_003 &+ 11
        try Self.read(seed) { tx, types, naive, conditions, random in
            for number in 0..<30 {
                let typeIndex = random.below(types.count)
                let all = naive.records[typeIndex]
                var request = Request()
                if random.oneIn(2) { request.condition = conditions.condition(typeIndex, depth: 1, &random) }
                request.order = conditions.order(typeIndex, &random)
                var query = naive.query(request, typeIndex)
                let rows = query.run(all)
                request.limit = 1 + random.below(4)
                let place = "seed \(seed), request \(number): \(request)"
                #expect(try RequestCheck.pages(request, tx._reading, typeIndex) == rows, "\(place)")
                if all.isEmpty { continue }
                let last = random.below(all.count)
                request.limit = nil
                request.goOn(query.position(all[last]))
                query.last = last
                var found: [DynamicRecord] = []
                try tx._reading.fetchDynamic(request, typeIndex: typeIndex) {
                    found.append($0)
                    return true
                }
                #expect(found == query.run(all), "\(place), behind \(all[last])")
                #expect(try tx._reading.count(request, typeIndex: typeIndex) == found.count, "\(place)")
            }
        }
    }

    @Test(arguments: 0..<TestLength.runs(40, long: 1_000))
    func `random groups and different rows by fields of other records are those of all records`(run: Int) throws {
        let seed = UInt64(run) &* 7_919 &+ 5
        try Self.read(seed) { tx, types, naive, conditions, random in
            for number in 0..<40 {
                let typeIndex = random.below(types.count)
                let fields = conditions.fields(typeIndex, &random)
                var request = Request()
                request.condition = conditions.condition(typeIndex, depth: 1, &random)
                request.order = conditions.order(typeIndex, &random)
                let place = "seed \(seed), request \(number): \(fields) of \(request)"
                let groups = try tx._reading.dynamicGroups(request, by: fields, [], typeIndex: typeIndex)
                let expected = naive.groups(request, by: fields, typeIndex)
                #expect(groups.map(\.key) == expected.map(\.key), "\(place)")
                #expect(groups.map(\.count) == expected.map(\.count), "\(place)")

                request.fields = fields
                request.isDistinct = true
                if random.oneIn(2) { request.order = fields.map { SortTerm($0, isDescending: random.oneIn(2)) } }
                if !request.order.isEmpty, random.oneIn(3) { request.limit = random.below(4) }
                let query = naive.query(request, typeIndex)
                let rows = query.run(naive.records[typeIndex])
                var found: [DynamicRecord] = []
                try tx._reading.fetchDynamic(request, typeIndex: typeIndex) {
                    found.append($0)
                    return true
                }
                // Without an order, any of several equal rows may be returned.
                let isSame = request.order.isEmpty ? found.count == rows.count : found == rows
                #expect(isSame, "\(place)")
                #expect(try tx._reading.count(request, typeIndex: typeIndex) == rows.count, "\(place)")
                let catalog = tx._reading.catalog
                for field in fields {
                    let path = try ReferencePath(field, from: catalog.types[typeIndex], in: catalog)
                    guard let path else { continue }
                    for row in rows {
                        #expect(try path.value(from: row, in: tx._reading) == query.value(field, row), "\(place)")
                    }
                }
            }
        }
    }

    @Test(arguments: 0..<20) func `conditions about other records read back from their text`(run: Int) throws {
        var random = TestRandom(seed: UInt64(run))
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes(ReferenceScenario(seed: UInt64(run)).schemas)
        let types = store.recordTypes
        let conditions = ReferenceConditions(types)
        for _ in 0..<200 {
            let typeIndex = random.below(types.count)
            let condition = conditions.condition(typeIndex, depth: 3, &random)
            do {
                let read = try ExpressionParser.condition(
                    condition.text, of: types[typeIndex], among: types, named: "where")
                #expect(read == condition, "\(condition.text)")
            } catch {
                // Expressions do not allow order comparisons with null.
                #expect(error.message.contains("null has no order"), "\(error.message)")
            }
        }
    }
}
