import ModelStore
import Testing

/// Rows and then changes, without a gap.
@Suite(.timeLimit(.minutes(5))) struct RowsAndChangesTests {
    /// What a reader knows from the elements that it was given.
    private struct Mirror {
        var sensors: [String: Sensor] = [:]
        var last: String?
        var isReady = false

        mutating func apply(_ element: RowsAndChanges<Sensor>.Element) -> Position? {
            switch element {
            case .rows(let rows, let position):
                for row in rows { sensors[row.id] = row }
                last = rows.last?.id
                return position
            case .ready(let position):
                isReady = true
                return position
            case .commit(let changes, let set):
                for change in changes { sensors[change.id] = change.after }
                return set.position
            case .restart:
                self = Mirror()
                return nil
            }
        }
    }

    @Test(arguments: 0..<20)
    func `at each element its reader has what the store had at that position`(seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed)
        let store = try ChangeFeedTests.store()
        var states: [UInt64: [String: Sensor]] = [:]
        func write() async throws {
            let (id, kind) = (Int.random(in: 10..<60, using: &random), Int.random(in: 0..<3, using: &random))
            let position = try await store.write { tx in
                if kind == 0 {
                    _ = try tx.delete(Sensor.self, id: "s\(id)")
                } else {
                    try tx.upsert(ChangeFeedTests.sensor(id, celsius: Double(kind)))
                }
            }.position
            let sensors = try store.read { try $0.all(Sensor.self) }
            states[position.sequence] = Dictionary(uniqueKeysWithValues: sensors.map { ($0.id, $0) })
        }
        for _ in 0..<40 { try await write() }
        var reader = store.rowsAndChanges(of: Sensor.self, chunk: 5).makeAsyncIterator()
        var mirror = Mirror()
        var afterReady = 0
        while afterReady < 20 {
            if mirror.isReady {
                // One that changes nothing has no change set to wait for.
                let before = try store.position
                while try store.position == before { try await write() }
            } else if Bool.random(using: &random) {
                try await write()
            }
            let element = try #require(try await reader.next())
            if mirror.isReady { afterReady += 1 }
            guard let position = mirror.apply(element), let expected = states[position.sequence] else { continue }
            let covered = mirror.isReady ? expected : expected.filter { $0.key <= mirror.last ?? "" }
            #expect(mirror.sensors == covered, "seed \(seed), at \(position.sequence)")
        }
    }
}
