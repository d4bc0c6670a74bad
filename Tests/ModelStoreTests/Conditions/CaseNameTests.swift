import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

private enum Level: Int, CaseIterable, FieldValue { case low = 1, high = 5 }

private enum Quiet: Int, FieldValue { case low = 1 }

@Embedded
private struct Peak { var level: Level = .low }

@Record
private struct Alarm {
    @ID var id: String
    var level: Level
    var levels: [Level] = []
    var peak: Peak?
    var quiet: Quiet = .low
}

@Suite("The names of cases in the catalog") struct CaseNameTests {
    private static let named = FieldType.enumeration(.int64, cases: EnumCases(["1", "5"], names: ["low", "high"]))

    private static func names(_ type: FieldType) -> [String]? {
        if case .enumeration(_, let cases) = type.unwrapped { cases?.names } else { nil }
    }

    @Test func `a case-iterable enum of integers tells the names of its cases`() {
        #expect(Self.names(Level.fieldType) == ["low", "high"])
        #expect(Level.fieldType.description == "enum<int64>(low: 1, high: 5)")
        #expect(Level.fieldType.caseName(of: .int(5)) == "high" && Level.fieldType.caseName(of: .int(2)) == nil)
        #expect(Self.names(Quiet.fieldType) == nil)
    }

    @Test func `names make no type another one`() {
        #expect(Self.named == .enumeration(.int64, cases: ["1", "5"]))
        #expect(Self.named != .enumeration(.int64, cases: ["1", "6"]))
    }

    @Test func `opening a store from before names were kept adds them, once and without a new version`() throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: [])
        let declared = Alarm.recordSchema
        try store.addTypes([
            RecordSchema(name: declared.name, fields: declared.fields.map(Self.withoutNames), id: declared.id)
        ])
        #expect(Self.names(store.recordTypes[0].fields[1].type) == nil)
        store.close()
        var positions: [Position] = []
        for _ in 0..<2 {
            let store = try Store(at: directory.path, records: Alarm.self)
            let stored = store.recordTypes[0]
            #expect(stored.version == 1)
            #expect(Self.names(stored.fields[1].type) == ["low", "high"])
            #expect(stored.fields[2].type.description == "[enum<int64>(low: 1, high: 5)]")
            #expect(stored.fields[3].type.description.contains("high: 5"))
            positions.append(try store.position)
            store.close()
        }
        #expect(positions[0] == positions[1])
    }

    /// Returns a field as programs declared it before schemas kept the names of cases.
    private static func withoutNames(_ field: FieldSchema) -> FieldSchema {
        FieldSchema(
            name: field.name, type: withoutNames(field.type), defaultValue: field.defaultValue, renamedFrom: [])
    }

    private static func withoutNames(_ type: FieldType) -> FieldType {
        switch type {
        case .enumeration(let raw, let cases): .enumeration(raw, cases: cases.map { EnumCases($0.rawValues) })
        case .optional(let wrapped): .optional(withoutNames(wrapped))
        case .array(let element): .array(withoutNames(element))
        case .embedded(let schema): .embedded(EmbeddedSchema(fields: schema.fields.map(withoutNames)))
        default: type
        }
    }
}
