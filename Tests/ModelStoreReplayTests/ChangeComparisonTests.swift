import StoreEngine
import Testing

@testable import ModelStoreReplay

@Suite("Comparing changes") struct ChangeComparisonTests {
    private func type() throws -> RecordType {
        let fields = [FieldSchema("name", String.self, renamedFrom: ["title"])]
        return try RecordType(id: 1, declared: RecordSchema(name: "Room", fields: fields, id: IDSchema([0])))
    }

    @Test func `Changes come in one order also where Swift calls their ids equal`() throws {
        let schema = TraceSchema([try type()], .exact)
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

    @Test(arguments: [ReplayOptions.Comparison.exact, .semantic])
    func `A missing change and an additional one are differences`(mode: ReplayOptions.Comparison) throws {
        let schema = TraceSchema([try type()], .exact)
        let changes = ["a", "b"].map { name in
            TraceChange.insert(type: "Room", record: .object([JSONMember("name", .string(name))]))
        }
        var options = ReplayOptions()
        options.comparison = mode
        var comparison = try ChangeComparison(options)
        let missing = comparison.difference(changes, [changes[0]], schema)
        #expect(missing?.expected == changes[1].json && missing?.found == .null)
        let additional = comparison.difference([changes[0]], changes, schema)
        #expect(additional?.expected == .null && additional?.found == changes[1].json)
        let none = comparison.difference(changes, changes, schema)
        #expect(none == nil)
    }

    @Test func `A mask may use the earlier name of a field`() throws {
        var masks = MaskedFields(["Room.name", "Room.title"])
        masks.note(try type())
        #expect(masks.mistake == nil)
        var mistaken = MaskedFields(["Room.tilte"])
        mistaken.note(try type())
        #expect(mistaken.mistake?.code == .unknownField)
    }
}
