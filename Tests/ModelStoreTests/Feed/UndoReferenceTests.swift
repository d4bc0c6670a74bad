import ModelStore
import TestSupport
import Testing

@Record private struct Hall: Equatable {
    @ID var id: Int
    var name: String = ""
}

@Record private struct Probe: Equatable {
    @ID var id: Int
    var celsius: Double = 0
    var note: String = ""
    @Reference(onDelete: .cascade) var hall: Reference<Hall>?
    @Reference(onDelete: .nullify) var twin: Reference<Probe>?
    var guardian: Reference<Hall>?
}

@Record private struct Sample: Equatable {
    @ID var id: Int
    @Reference(onDelete: .cascade) var probe: Reference<Probe>
}

/// Undoing change sets and returning to positions with records that refer to each other and have delete rules.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct UndoReferenceTests {
    private struct Contents: Equatable {
        var halls: [Hall]
        var probes: [Probe]
        var samples: [Sample]

        init(_ store: Store) throws {
            (halls, probes, samples) = try store.read {
                try ($0.all(Hall.self), $0.all(Probe.self), $0.all(Sample.self))
            }
        }
    }

    private static func store() throws -> Store {
        try Store.temporary(records: Hall.self, Probe.self, Sample.self, options: ChangeFeedTests.small())
    }

    private static func last(_ store: Store) async throws -> ChangeSet {
        var feed = store.changes(from: .after(sequence: try store.position.sequence - 1)).makeAsyncIterator()
        return try #require(try await feed.next())
    }

    @Test(arguments: [false, true])
    func `a record that was made to refer to an inserted one stays when that goes`(reverts: Bool) async throws {
        let store = try Self.store()
        try await store.write { tx in
            try tx.insert(Hall(id: 1))
            try tx.insert(Probe(id: 1, hall: 1))
            try tx.insert(Sample(id: 1, probe: 1))
        }
        let before = try Contents(store)
        let position = try store.position
        try await store.write { tx in
            try tx.update(Probe.self, id: 1) { $0.celsius = 30 }
            try tx.insert(Hall(id: 2))
            try tx.update(Probe.self, id: 1) { $0.hall = 2 }
        }
        let moved = try await Self.last(store)
        try await store.write { tx in
            try tx.update(Probe.self, id: 1) { $0.note = "since" }
            try tx.insert(Sample(id: 2, probe: 1))
        }
        if reverts {
            try await store.revert(to: position)
            #expect(try Contents(store) == before)
        } else {
            try await store.undo(moved)
            var expected = before
            expected.probes[0].note = "since"
            expected.samples.append(Sample(id: 2, probe: 1))
            #expect(try Contents(store) == expected)
        }
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `change set after change set is undone, past the deletion of a record`() async throws {
        let store = try Self.store()
        var states: [Contents] = []
        func write(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) async throws {
            states.append(try Contents(store))
            try await store.write { try body(&$0) }
        }
        let first = try store.position.sequence
        try await write { try $0.insert(Probe(id: 1)) }
        try await write { tx in try tx.update(Probe.self, id: 1) { $0.celsius = 1 } }
        try await write { tx in try tx.update(Probe.self, id: 1) { $0.note = "n" } }
        try await write { tx in _ = try tx.delete(Probe.self, id: 1) }
        for (number, expected) in states.enumerated().reversed() {
            var feed = store.changes(from: .after(sequence: first + UInt64(number))).makeAsyncIterator()
            let set = try #require(try await feed.next())
            try await store.undo(set)
            #expect(try Contents(store) == expected, "change set \(set.sequence)")
        }
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `a record that came after the deletion, with other fields, is another one`() async throws {
        let store = try Self.store()
        try await store.write { try $0.insert(Probe(id: 1)) }
        try await store.write { tx in try tx.update(Probe.self, id: 1) { $0.celsius = 1 } }
        let update = try await Self.last(store)
        try await store.write { _ = try $0.delete(Probe.self, id: 1) }
        try await store.write { try $0.insert(Probe(id: 1, celsius: 1, note: "another")) }
        let error = await #expect(throws: StoreError.self) { try await store.undo(update) }
        #expect(error?.code == .changeConflict)
    }

    /// Runs one random step. Throws if a rule forbids it.
    private static func step(_ tx: inout WriteTransaction, _ random: inout TransactionRandom) throws {
        let (id, other) = (Int.random(in: 1...5, using: &random), Int.random(in: 1...5, using: &random))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try tx.upsert(Hall(id: id, name: "\(other)"))
        case 1: _ = try tx.delete(Hall.self, id: id)
        case 2: _ = try tx.delete(Probe.self, id: id)
        case 3: _ = try tx.delete(Sample.self, id: id)
        case 4: try tx.upsert(Sample(id: id, probe: Reference(other)))
        case 5, 6: try tx.upsert(Probe(id: id, celsius: Double(other), hall: Reference(other)))
        case 7: try tx.upsert(Probe(id: id, twin: Reference(other)))
        case 8 where try tx.get(Probe.self, id: id) != nil:
            try tx.update(Probe.self, id: id) { $0.guardian = Reference(other) }
        default: try tx.upsert(Probe(id: id, note: "\(other)"))
        }
    }

    @Test func `after random histories, undoing the newest and going back give what was there`() async throws {
        for seed in 0..<UInt64(TestLength.runs(150, long: 5_000)) {
            var random = TransactionRandom(seed: seed)
            let store = try Self.store()
            defer { store.close() }
            var states = [(position: try store.position, contents: try Contents(store))]
            for _ in 0..<25 {
                let steps = Int.random(in: 1...6, using: &random)
                let drawn = UInt64.random(in: 0 ... .max, using: &random)
                // The store does not commit a step that a rule forbids.
                _ = try? await store.write { tx in
                    var random = TransactionRandom(seed: drawn)
                    for _ in 0..<steps { try Self.step(&tx, &random) }
                }
                let position = try store.position
                if position.sequence > states.last?.position.sequence ?? 0 {
                    states.append((position, try Contents(store)))
                }
                guard states.count > 2, Int.random(in: 0..<4, using: &random) == 0 else { continue }
                // Undoes the change set as read, or from the feed in parts.
                switch Int.random(in: 0...3, using: &random) {
                case 0: try await store.undo(try await Self.last(store))
                case let count:
                    let newest = try store.position.sequence
                    try await store.write { _ = try $0.undo(sequence: newest, changesPerPart: count) }
                }
                #expect(try Contents(store) == states[states.count - 2].contents, "seed \(seed)")
                states.append((try store.position, try Contents(store)))
            }
            let target = try #require(states.randomElement(using: &random))
            try await store.revert(to: target.position)
            #expect(try Contents(store) == target.contents, "seed \(seed), to \(target.position.sequence)")
            try store.verify { Issue.record("seed \(seed): \($0)") }
        }
    }

    @Test func `a missing target and a denied delete are conflicts that can be skipped`() async throws {
        let store = try Store.temporary(records: Owner.self, Pet.self, options: ChangeFeedTests.small())
        try await store.write { tx in
            for id in 1...2 { try tx.insert(Owner(id: id)) }
            for id in 1...2 { try tx.insert(Pet(id: id, owner: Reference(id))) }
        }
        try await store.write { tx in
            for id in 1...2 { try tx.delete(Pet.self, id: id) }
            try tx.insert(Owner(id: 3))
            try tx.insert(Owner(id: 4))
        }
        let done = try await Self.last(store)
        try await store.write { tx in
            try tx.delete(Owner.self, id: 1)
            try tx.insert(Pet(id: 9, owner: 3))
        }
        let conflicts = try await store.undo(done, conflicts: .skip)
        #expect(conflicts.map(\.typeName).sorted() == ["Owner", "Pet"])
        let reasons = Set(conflicts.map { if case .refused(let code, _) = $0.reason { "\(code)" } else { "other" } })
        #expect(reasons == ["referenceBroken", "deleteDenied"])
        #expect(try store.read { try $0.all(Owner.self) }.map(\.id) == [2, 3])
        #expect(try store.read { try $0.all(Pet.self) }.map(\.id) == [2, 9])
    }
}

@Record private struct Owner: Equatable {
    @ID var id: Int
}

@Record private struct Pet: Equatable {
    @ID var id: Int
    @Reference(onDelete: .deny) var owner: Reference<Owner>
}
