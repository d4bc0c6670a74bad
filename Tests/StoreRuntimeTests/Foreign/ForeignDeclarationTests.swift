import StoreEngine
import StoreRuntime
import Testing

/// Reading while another process adds record types.
@Suite(.timeLimit(.minutes(20))) struct ForeignDeclarationTests {
    @Test func `reading goes on while another process adds record types and commits right after`() async throws {
        let child = try ForeignChild()
        let history = try ForeignHistory(seed: 1, child, types: [Sensor.self])
        let types = history.store.recordTypes
        let id: [DynamicValue] = [.string("none")]
        for number in 0..<60 {
            child.sendDeclaration("Foreign\(number)")
            for _ in 0..<3 { child.send([.delete(type: 0, id: id)], types) }
            let values: [DynamicValue] = [
                .string("s"), .string("hall"), .string("A"), .double(Double(number)), .none, .string("attic"),
            ]
            for _ in 0..<3 { child.send([.put(type: 0, DynamicRecord(values: values), .upsert)], types) }
        }
        var declared = 0
        for answered in 1...(60 * 7) {
            _ = try child.answer()
            let count = try history.store.read { tx in try tx.count(Sensor.self) }
            #expect(count <= 1)
            if answered % 7 == 1 { declared += 1 }
            #expect(history.store.recordTypes.count > declared)
        }
        try await history.end()
    }
}
