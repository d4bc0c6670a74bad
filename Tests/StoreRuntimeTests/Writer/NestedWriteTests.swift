import StoreEngine
import StoreRuntime
import Testing

@Suite struct NestedWriteTests {
    @Test func `a blocking write inside a write closure is an error, not a deadlock`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let other = try Store.temporary(records: Sensor.self)
        let codes = try store.write { _ in
            [
                storeError { try store.write { _ in } }?.code,
                storeError { try other.write { _ in } }?.code,
                storeError { _ = try Store.temporary(records: Sensor.self) }?.code,
            ]
        }
        #expect(codes == [.nestedWrite, .nestedWrite, .nestedWrite])
    }

    @Test func `reading inside a write closure sees the last commit`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let counts = try store.write { tx in
            try tx.insert(Sensor(id: "a", room: "b", serial: "c"))
            return (try tx.count(Sensor.self), try store.all(Sensor.self).count)
        }
        #expect(counts == (1, 0))
    }
}
