import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// Dependents of record fields, while the schema changes.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveDependentTests {
    private static func schema(_ fields: [String]) -> RecordSchema {
        RecordSchema(
            name: "House",
            fields: [FieldSchema("id", String.self)] + fields.map { FieldSchema($0, Int.self, default: 0) },
            id: IDSchema([0]))
    }

    private static func set(_ field: String, to value: Int64, in store: Store) async throws {
        try await store.write { tx in
            let catalog = tx._reading.catalog
            let index = try catalog.requireTypeIndex(named: "House")
            let known = try tx._reading.dynamicRecord(id: [.string("a")], typeIndex: index)
            let type = catalog.types[index].type
            var values = known?.values ?? type.fields.map { $0.name == "id" ? .string("a") : .int(0) }
            if let place = type.fieldIndex(named: field) { values[place] = .int(value) }
            _ = try tx.put(DynamicRecord(values: values), typeIndex: index, mode: known == nil ? .insert : .update)
        }
    }

    @Test func `a field is followed to where it stands after another has gone`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.addTypes([Self.schema(["age", "floors"])])
        try store.core.dispatcher.start()
        try await Self.set("floors", to: 1, in: store)
        let dependent = LiveDependent { catalog throws(StoreError) in
            let type = catalog.types[try catalog.requireTypeIndex(named: "House")].type
            return [
                LiveDependencies.OfType(
                    type: type.id, fieldIndexes: FieldIndexSet([type.fieldIndex(named: "floors") ?? 0]))
            ]
        }
        try store.core.dispatcher.follow(dependent)
        _ = try store.migrate(to: [Self.schema(["floors"])], isTrial: false)
        // When this write returns, the migration's step is complete.
        try await store.write { try $0.insert(Sensor(id: "s1", room: "hall", serial: "A-1")) }
        let signal = Signal()
        dependent.subscribe(signal)
        try await Self.set("floors", to: 2, in: store)
        #expect(await signal.wait() == .raised)
    }
}
