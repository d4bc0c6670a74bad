import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random requests over the Debian packages that apt knows, answered by every possible plan and compared with an oracle.
@Suite(.enabled(if: PackageCatalog.isThere, "apt knows no packages here: run apt-get update"))
struct PackageOracleTests {
    private static let seed = TestLength.repeatedSeed ?? UInt64.random(in: .min ... .max)

    /// A sample of real packages, small enough that thousands of requests take seconds. Each case has a different sample.
    @Test(arguments: 0..<4)
    func `every plan finds the packages of a sample that a look at each finds`(number: Int) throws {
        let seed = Self.seed &+ UInt64(number)
        var random = TestRandom(seed: seed)
        let sample = Set((0..<Self.sampleCount).map { _ in random.pick(PackageCatalog.records) })
        try check(Array(sample), requestCount: TestLength.runs(150, long: 5_000), &random, seed: Self.seed)
    }

    @Test func `every plan finds the packages that a look at each finds`() throws {
        var random = TestRandom(seed: Self.seed)
        let packages = TestLength.isLong ? PackageCatalog.records : Array(PackageCatalog.records.prefix(8_000))
        try check(packages, requestCount: TestLength.runs(4, long: 2_000), &random, seed: Self.seed)
    }

    private static let sampleCount = 200

    /// Answers random requests over some packages by every plan.
    private func check(
        _ packages: [DynamicRecord], requestCount: Int, _ random: inout TestRandom, seed: UInt64
    ) throws {
        let store = try Store.temporary(records: [])
        defer { store.close() }
        try store.addTypes([PackageCatalog.schema])
        let type = store.recordTypes[0]
        let columns = PackageColumns(packages, of: type)
        let ordered = columns.packages
        try store.write { tx in
            for record in ordered { _ = try tx.put(record, typeIndex: 0, mode: .insert) }
        }
        var requests = PackageRequests(random: random, records: columns.packages, type: type)
        try store.read { tx in
            for number in 0..<requestCount {
                try check(requests.next(), columns, tx._reading, at: "MODELSTORE_SEED=\(seed), request \(number)")
            }
        }
        random = requests.random
        if TestLength.isLong { #expect(try store.findings().isEmpty) }
    }

    private func check(
        _ request: Request, _ columns: PackageColumns, _ reading: ReadContext, at place: String
    ) throws {
        let holds = columns.holds(request.condition)
        let expected = columns.places(request, where: holds).map { columns.keys[$0] }
        // Without an order, a request may return any of the matching records.
        let all = request.order.isEmpty ? holds.indices.filter { holds[$0] } : []
        let matching = Set(all.map { columns.keys[$0] })
        for path in [nil] + (try reading.paths(request, typeIndex: 0)).map(Optional.init) {
            var found: [String] = []
            try reading.fetchFields(request, fieldIndexes: [0], typeIndex: 0, by: path) { values in
                if case .string(let key) = values[0] { found.append(key) }
                return true
            }
            let isRight =
                request.order.isEmpty
                ? found.count == expected.count && Set(found).count == found.count && matching.isSuperset(of: found)
                : found == expected
            if isRight { continue }
            Issue.record(
                """
                \(place) by \(String(describing: path)): \(found.count) found, \(expected.count) expected
                \(request)
                \(try reading.explain(request, typeIndex: 0, by: path))
                """)
        }
        let count = try reading.count(request, typeIndex: 0)
        if count != expected.count { Issue.record("\(place): counted \(count), not \(expected.count)") }
    }
}

/// Requests that a person might make of packages, with values that some packages have.
private struct PackageRequests {
    var random: TestRandom
    let records: [DynamicRecord]
    let type: RecordType

    private static let texts = ["key", "name", "section", "priority", "maintainer", "homepage", "summary"]
    private static let numbers = ["bytes", "installed"]

    mutating func next() -> Request {
        var request = Request()
        request.condition = random.oneIn(12) ? .constant(true) : condition(depth: 2)
        for _ in 0..<random.pick([0, 1, 1, 2]) {
            let field = random.pick(Self.texts + Self.numbers)
            request.order.append(SortTerm(FieldName(field), isDescending: random.oneIn(2)))
        }
        if !random.oneIn(3) { request.limit = random.pick([1, 10, 100, 5_000]) }
        if random.oneIn(4) { request.offset = random.pick([1, 7, 300]) }
        return request
    }

    private mutating func condition(depth: Int) -> ConditionNode {
        switch depth == 0 ? 0 : random.below(9) {
        case 6: .and([condition(depth: depth - 1), condition(depth: depth - 1)])
        case 7: .or([condition(depth: depth - 1), condition(depth: depth - 1)])
        case 8: .not(condition(depth: depth - 1))
        default: leaf()
        }
    }

    private mutating func leaf() -> ConditionNode {
        let record = random.pick(records)
        func value(_ name: String) -> DynamicValue {
            type.fieldIndex(named: name).map { record.values[$0] } ?? .none
        }
        switch random.below(7) {
        case 0:
            let name = random.pick(Self.texts + Self.numbers)
            return .comparison(FieldName(name), .equal, value(name))
        case 1:
            let name = random.pick(Self.texts)
            let members = (0..<random.pick([1, 2, 5])).map { _ in
                type.fieldIndex(named: name).map { random.pick(records).values[$0] } ?? .none
            }
            return .membership(FieldName(name), members)
        case 2:
            let name = random.pick(["key", "name", "maintainer", "summary"])
            guard case .string(let text) = value(name) else { return .constant(true) }
            return .text(FieldName(name), .startsWith, String(text.prefix(random.pick([1, 2, 4, 9]))), [])
        case 3:
            guard case .string(let text) = value("summary") else { return .constant(true) }
            let word = text.split(separator: " ").max { $0.count < $1.count } ?? "lib"
            return .text(FieldName("summary"), random.pick([.contains, .endsWith]), String(word.prefix(6)), [])
        case 4:
            guard case .list(let names) = value("depends"), !names.isEmpty else {
                return .size(FieldName("depends"), .equal, 0)
            }
            return .element(FieldName("depends"), random.pick(names))
        default:
            let name = random.pick(Self.numbers)
            return .comparison(
                FieldName(name), random.pick([.less, .lessOrEqual, .greater, .greaterOrEqual]), value(name))
        }
    }
}
