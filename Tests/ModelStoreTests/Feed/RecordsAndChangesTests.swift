import ModelStore
import TestSupport
import Testing

/// Readers receive all records and then all changes, without a gap.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct RecordsAndChangesTests {
    /// The state that a reader builds from the elements it receives.
    private struct Mirror {
        var sensors: [String: Sensor] = [:]
        var last: String?
        var isReady = false

        mutating func apply(_ element: RecordsAndChanges<Sensor>.Element) -> Position? {
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
            let position = try await store.write(returning: .position) { tx in
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
        var reader = store.recordsAndChanges(of: Sensor.self, chunk: 5).makeAsyncIterator()
        var mirror = Mirror()
        var afterReady = 0
        while afterReady < 20 {
            if mirror.isReady {
                // A write that changes nothing makes no change set to wait for.
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

    @Test(arguments: 0..<20)
    func `with a condition its reader has what meets it, also where what waits is put together`(
        seed: UInt64
    ) async throws {
        var random = TransactionRandom(seed: seed)
        let store = try ChangeFeedTests.store()
        var states: [UInt64: [String: Sensor]] = [:]
        func write() async throws {
            let (id, kind) = (Int.random(in: 10..<40, using: &random), Int.random(in: 0..<4, using: &random))
            let position = try await store.write(returning: .position) { tx in
                if kind == 0 {
                    _ = try tx.delete(Sensor.self, id: "s\(id)")
                } else {
                    try tx.upsert(ChangeFeedTests.sensor(id, celsius: Double(kind)))
                }
            }.position
            let warm = try store.read { try $0.all(Sensor.self) }.filter { $0.celsius >= 2 }
            states[position.sequence] = Dictionary(uniqueKeysWithValues: warm.map { ($0.id, $0) })
        }
        for _ in 0..<40 { try await write() }
        // A filter for another type does not matter.
        var options = FeedOptions(only: FeedFilter(Sensor.self) { $0.celsius >= 2 }, FeedFilter(Account.self))
        options.mergesPending = Bool.random(using: &random)
        options.reportsProgress = true
        var reader = store.recordsAndChanges(of: Sensor.self, options, chunk: 4).makeAsyncIterator()
        var (mirror, last, isReady, reached) = ([String: Sensor](), "", false, UInt64(0))
        var writes = 0
        while try !isReady || reached < store.position.sequence {
            if writes < 60 {
                for _ in 0..<Int.random(in: 0..<3, using: &random) { try await write() }
                writes += 1
            }
            let position: Position
            switch try #require(try await reader.next()) {
            case .rows(let rows, let now):
                for row in rows { mirror[row.id] = row }
                last = rows.last?.id ?? last
                position = now
            case .ready(let now): (isReady, position) = (true, now)
            case .commit(let changes, let set):
                for change in changes {
                    mirror[change.id] = change.after.flatMap { $0.celsius >= 2 ? $0 : nil }
                }
                position = set.position
            case .restart:
                Issue.record("seed \(seed): it began anew")
                return
            }
            reached = position.sequence
            guard let expected = states[reached] else { continue }
            let missing = expected.filter { mirror[$0.key] != $0.value && (isReady || $0.key <= last) }
            let extra = mirror.filter { expected[$0.key] != $0.value }
            #expect(missing.isEmpty && extra.isEmpty, "seed \(seed), at \(reached)")
        }
    }

    @Test func `its changes can be those of some fields, and leave out this process's own`() async throws {
        let directory = try TestDirectory()
        var storeOptions = ChangeFeedTests.small()
        storeOptions.originName = "reader"
        let store = try Store(at: directory.path + "/store", records: Sensor.self, options: storeOptions)
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        var options = FeedOptions(only: FeedFilter(Sensor.self, touching: \.room))
        var fields = store.recordsAndChanges(of: Sensor.self, options).makeAsyncIterator()
        options = FeedOptions()
        options.skipsOwnOrigin = true
        // With progress reports, the test can wait for skipped change sets.
        options.reportsProgress = true
        var others = store.recordsAndChanges(of: Sensor.self, options).makeAsyncIterator()
        for _ in 0..<2 {
            _ = try await fields.next()
            _ = try await others.next()
        }
        try await store.write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.celsius = 25 } }
        try await store.write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.room = "attic" } }
        guard case .commit(let changes, _) = try await fields.next() else {
            Issue.record("no change came")
            return
        }
        #expect(changes.map(\.changedFields.names) == [["room"]])
        let newest = try store.position
        while true {
            guard case .commit(let own, let set) = try await others.next() else {
                Issue.record("no progress came")
                return
            }
            #expect(own.isEmpty, "its own changes came")
            if set.position == newest { break }
        }
    }

    @Test func `its changes that wait come as one when asked, and tell progress`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        var options = FeedOptions()
        options.mergesPending = true
        options.reportsProgress = true
        var reader = store.recordsAndChanges(of: Sensor.self, options).makeAsyncIterator()
        for _ in 0..<2 { _ = try await reader.next() }
        for number in 0..<5 {
            try await store.write { tx in _ = try tx.update(Sensor.self, id: "s1") { $0.celsius = Double(100 + number) }
            }
        }
        guard case .commit(let changes, let set) = try await reader.next() else {
            Issue.record("no change came")
            return
        }
        #expect(changes.map(\.after?.celsius) == [104] && set.sequence == set.firstSequence + 4)
        let account = try await store.write(returning: .position) { try $0.insert(Account(email: "ann", balance: 1)) }
            .position
        guard case .commit(let none, let progress) = try await reader.next() else {
            Issue.record("no progress came")
            return
        }
        #expect(none.isEmpty && progress.position == account)
    }

    @Test func `what changes between two chunks behind a lot of other changes is told`() async throws {
        let store = try ChangeFeedTests.store()
        for number in 1...2 { try await store.write { try $0.insert(ChangeFeedTests.sensor(number)) } }
        var options = FeedOptions()
        options.changesPerPart = 1
        var reader = store.recordsAndChanges(of: Sensor.self, options, chunk: 1).makeAsyncIterator()
        var mirror = Mirror()
        _ = mirror.apply(try #require(try await reader.next()))
        #expect(mirror.sensors.keys.sorted() == ["s1"])
        // The reader reads each of these change sets and finds nothing in it.
        for number in 0..<50 { try await store.write { try $0.insert(Account(email: "\(number)", balance: 1)) } }
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = 99 } }
        while !mirror.isReady { _ = mirror.apply(try #require(try await reader.next())) }
        #expect(mirror.sensors["s1"]?.celsius == 99)
        #expect(mirror.sensors.keys.sorted() == ["s1", "s2"])
    }
}
