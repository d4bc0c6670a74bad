import StoreEngine
import StoreRuntime
import Testing

/// Each kind of change inside a value, in each kind of container.
@Suite("Changes inside values") struct NestedChangeTests {
    private static func schema(_ type: FieldType) -> RecordSchema {
        let value = FieldSchema(name: "value", type: type, defaultValue: nil, renamedFrom: [])
        return RecordSchema(
            name: "Thing", fields: [FieldSchema("id", Int64.self), value, FieldSchema("count", Int.self)],
            id: IDSchema([0]), indexes: type.hasIndexableElements ? [IndexSchema([1])] : [])
    }

    private static let cases = NestedChange.allCases.flatMap { change in NestedPlace.allCases.map { (change, $0) } }

    /// Returns a value in a form that compares without order where the type has no order.
    private static func unordered(_ value: DynamicValue, _ place: NestedPlace) -> Set<DynamicValue> {
        switch (place, value) {
        case (.set, .list(let elements)): Set(elements)
        case (.key, .pairs(let pairs)): Set(pairs.map { .list([$0.key, $0.value]) })
        default: [value]
        }
    }

    private static func read(_ tx: borrowing ReadTransaction, _ id: Int64) throws -> DynamicValue? {
        try tx._reading.dynamicRecord(id: [.int(id)], typeIndex: 0)?.values[1]
    }

    @Test(arguments: cases.filter { $0 != .fieldLess || !$1.isDistinct })
    func `opening follows a change inside a value, and older records and states are read in the new form`(
        change: NestedChange, place: NestedPlace
    ) throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        try store.addTypes([Self.schema(place.type(change.old))])
        let before = place.value(change.before)
        let position = try store.write(returning: .position) { tx in
            for id in 1...3 as ClosedRange<Int64> {
                _ = try tx.put(DynamicRecord(values: [.int(id), before, .int(0)]), typeIndex: 0, mode: .insert)
            }
        }.position
        try store.write { _ = try $0.delete(dynamicID: [.int(3)], typeIndex: 0) }

        try store.addTypes([Self.schema(place.type(change.declared))])
        #expect(store.recordTypes[0].fields[1].type == place.type(change.stored))
        let after = Self.unordered(place.value(change.after), place)
        // Record 2 is rewritten, while record 1 keeps its old bytes.
        try store.write { tx in
            let value = try #require(try tx._reading.dynamicRecord(id: [.int(2)], typeIndex: 0)).values[1]
            _ = try tx.put(DynamicRecord(values: [.int(2), value, .int(1)]), typeIndex: 0, mode: .update)
        }
        for reopens in [false, true] {
            let store = reopens ? try Store(at: folder.path, records: []) : store
            for id in [1, 2] as [Int64] {
                let value = try #require(try store.read { try Self.read($0, id) })
                #expect(Self.unordered(value, place) == after)
            }
            for id in 1...3 as ClosedRange<Int64> {
                let value = try #require(try store.read(at: position) { try Self.read($0, id) })
                #expect(Self.unordered(value, place) == after)
            }
            #expect(try store.findings() == [])
            try Self.expectFound(change, place, store)
            store.close()
        }
    }

    /// Finds each element through its index.
    private static func expectFound(_ change: NestedChange, _ place: NestedPlace, _ store: Store) throws {
        guard place == .array || place == .set, place.type(change.stored).hasIndexableElements else { return }
        for element in change.after {
            var request = Request()
            request.condition = .element(FieldName("value"), element)
            #expect(try store.read { try $0._reading.count(request, typeIndex: 0) } == 2)
        }
    }

    @Test(arguments: NestedPlace.allCases.filter(\.isDistinct))
    func `a field less in what is told apart by it is refused, and named`(place: NestedPlace) throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        try store.addTypes([Self.schema(place.type(NestedChange.fieldLess.old))])
        let error = storeError { try store.addTypes([Self.schema(place.type(NestedChange.fieldLess.declared))]) }
        #expect(error?.code == .schemaMismatch)
        let name = place == .set ? "value[].count" : "value.keys.count"
        #expect(error?.message.contains("field \(name): int16 is only in the store") == true, "\(error as Any)")
    }

    @Test(arguments: NestedPlace.allCases)
    func `what is beyond that is refused with the field inside that is in the way`(place: NestedPlace) throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        try store.addTypes([Self.schema(place.type(NestedChange.furtherCase.old))])
        let declared = FieldType.embedded(
            EmbeddedSchema(fields: [
                FieldSchema("count", Int8.self), FieldSchema("region", Int.self), FieldSchema("owner", String.self),
            ]))
        let error = try #require(storeError { try store.addTypes([Self.schema(place.type(declared))]) })
        let path =
            switch place {
            case .structure: "value.inner"
            case .optional: "value"
            case .array, .set: "value[]"
            case .dictionary: "value.values"
            case .key: "value.keys"
            case .arrayInDictionary: "value.values[]"
            case .structInStructInArray: "value[].inner.inner"
            }
        for difference in [
            "field \(path).count is int16 in the store and int8 in the program, which cannot hold all values of the other",
            "field \(path).region is enum<string>(eu) in the store and int64 in the program, and the store cannot convert the values",
            "field \(path).owner: string is not in the store, and existing records would have no value for it",
        ] { #expect(error.message.contains(difference), "\(error.message)") }
        #expect(store.recordTypes[0].version == 1)
    }

    @Test func `a migration that was asked for narrows elements where they fit, and names the records where not`()
        throws
    {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        try store.addTypes([Self.schema(.set(.int32))])
        for (id, elements) in [(1, [1, 127]), (2, [-128, 128])] as [(Int64, [Int64])] {
            let record = DynamicRecord(values: [.int(id), .list(elements.map { .int($0) }), .int(0)])
            try store.write { _ = try $0.put(record, typeIndex: 0, mode: .insert) }
        }
        let refused = try store.migrate(to: [Self.schema(.set(.int8))], isTrial: false)[0]
        #expect(refused.misfits.map { [$0.id, $0.reason] } == [["2", "value: 128 does not fit int8"]])
        _ = try store.write { _ = try $0.delete(dynamicID: [.int(2)], typeIndex: 0) }
        #expect(try store.migrate(to: [Self.schema(.set(.int8))], isTrial: false)[0].misfitCount == 0)
        #expect(try store.read { try Self.read($0, 1) } == .list([.int(1), .int(127)]))
        #expect(try store.findings() == [])
    }

    @Test func `a migration that was asked for does not make two elements of a set one`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        let change = NestedChange.fieldLess
        try store.addTypes([Self.schema(.set(change.old))])
        let record = DynamicRecord(values: [.int(1), .list(change.before), .int(0)])
        try store.write { _ = try $0.put(record, typeIndex: 0, mode: .insert) }
        let refused = try store.migrate(to: [Self.schema(.set(change.declared))], isTrial: false)[0]
        #expect(refused.misfits.map(\.reason) == ["value: two of its elements become equal"])
    }

    @Test func `bytes become wider numbers`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: [])
        try store.addTypes([Self.schema([UInt8].fieldType)])
        try store.write {
            _ = try $0.put(
                DynamicRecord(values: [.int(1), .data([0, 200]), .int(0)]), typeIndex: 0, mode: .insert)
        }
        try store.addTypes([Self.schema([Int32].fieldType)])
        #expect(try store.read { try Self.read($0, 1) } == .list([.int(0), .int(200)]))
        #expect(try store.findings() == [])
    }
}
