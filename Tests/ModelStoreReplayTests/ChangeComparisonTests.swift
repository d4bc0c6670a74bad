import StoreEngine
import Testing

@testable import ModelStoreReplay

@Suite("Comparing changes") struct ChangeComparisonTests {
    @Test func `Changes come in one order also where Swift calls their ids equal`() throws {
        let type = try RecordType(
            id: 1, declared: RecordSchema(name: "Room", fields: [FieldSchema("name", String.self)], id: IDSchema([0])))
        let schema = TraceSchema([type], .exact)
        let changes = ["\u{E9}", "e\u{301}", "f"].map { name in
            TraceChange.insert(type: "Room", record: .object([JSONMember("name", .string(name))]))
        }
        var options = ReplayOptions()
        options.comparison = .semantic
        for other in [changes, changes.reversed(), [changes[1], changes[2], changes[0]]] {
            var comparison = try ChangeComparison(options)
            let difference = comparison.difference(changes, other, schema)
            #expect(difference == nil, "\(difference?.reason ?? "")")
        }
    }
}
