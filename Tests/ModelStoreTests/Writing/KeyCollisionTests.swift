import Foundation
import LMDB
import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Long ids and values whose hashes under the public seeds are equal: anyone can compute them.
@Suite("Ids and values with equal public hashes") struct KeyCollisionTests {
    @Record struct Item {
        @ID var id: String
        var text: String
    }

    @Record struct Coin {
        @ID var id: Int
        @Unique var mark: String
    }

    private static let ids = (0..<4).map { CollidingText.text(37 * $0) }

    /// A store of format 3, which hashes keys under the public seeds.
    private static func oldStore<R: Record>(_ directory: TestDirectory, _ type: R.Type) throws -> Store {
        var options = StoreOptions()
        options.usesRedoLog = false
        try Store(at: directory.path, records: type, options: options).close()
        try OlderFormat.give(3, toStoreAt: directory.path)
        return try Store(at: directory.path, records: type)
    }

    /// An old store with a record that has the first id.
    private static func store(_ directory: TestDirectory) throws -> Store {
        let store = try oldStore(directory, Item.self)
        _ = try store.blockingWrite { try $0.insert(Item(id: ids[0], text: "first")) }
        return store
    }

    private static func findings(_ store: Store) throws -> [String] {
        var found: [String] = []
        try store.verify { found.append("\($0)") }
        return found
    }

    @Test func `the ids have one key without a secret, and their own keys under each secret`() {
        #expect(Set((0..<CollidingText.count).map(CollidingText.text)).count == CollidingText.count)
        func keys(_ hash: KeyHash) -> Set<[UInt8]> { Set(Self.ids.map { RecordKey.of(Item.self, id: $0, hash) }) }
        #expect(keys(.publicSeeds).count == 1)
        let (one, other) = (KeyHash.random(), KeyHash.random())
        #expect(keys(one).count == 4 && keys(other).count == 4)
        #expect(keys(one).isDisjoint(with: keys(other)))
    }

    @Test func `in a new store, such ids lie beside each other`() throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Item.self)
        let count = 512
        _ = try store.blockingWrite { tx in
            for number in 0..<count { try tx.insert(Item(id: CollidingText.text(number), text: "\(number)")) }
        }
        let models = try Self.ids.map { try store.model(Item.self, id: $0) }
        #expect(Set(models.map(ObjectIdentifier.init)).count == 4)
        _ = try store.blockingWrite { tx in
            try tx.upsert(Item(id: Self.ids[1], text: "upserted"))
            try tx.update(Item.self, id: Self.ids[2]) { $0.text = "changed" }
            try tx.delete(Item.self, id: Self.ids[3])
            try tx.put(
                DynamicRecord(values: [.string(CollidingText.text(count)), .string("new")]), typeIndex: 0, mode: .insert
            )
        }
        let changes = try store.changeSet(sequence: 3).changes(of: Item.self)
        #expect(changes.map(\.id) == [Self.ids[1], Self.ids[2], Self.ids[3], CollidingText.text(count)])
        #expect(try Self.findings(store) == [])
        store.close()
        let again = try Store(at: directory.path, records: Item.self)
        defer { again.close() }
        for number in 0...count {
            let id = CollidingText.text(number)
            var text: String? = number == count ? "new" : "\(number)"
            if id == Self.ids[1] { text = "upserted" }
            if id == Self.ids[2] { text = "changed" }
            if id == Self.ids[3] { text = nil }
            #expect(try again.get(Item.self, id: id)?.text == text)
            #expect(try again.fetch(Item.where { $0.id == id }).map(\.text) == (text.map { [$0] } ?? []))
        }
        let ordered = try again.fetch(Item.all.order { $0.id.ascending }).map(\.id)
        #expect(ordered == ordered.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } && ordered.count == count)
    }

    @Test func `stores with other secrets have the same content hash, in whatever order the keys are`() throws {
        let count = 40
        let hashes = try (0..<8).map { _ in
            let store = try Store.temporary(records: Item.self)
            _ = try store.blockingWrite { tx in
                for number in 0..<count { try tx.insert(Item(id: CollidingText.text(number), text: "\(number)")) }
            }
            return try store.read { try $0._reading.contentHash() }
        }
        #expect(Set(hashes).count == 1)
    }

    @Test func `in a new store, such unique values are compared with no other`() throws {
        let store = try Store.temporary(records: Coin.self)
        _ = try store.blockingWrite { tx in
            for number in 0..<4_000 { try tx.insert(Coin(id: number, mark: CollidingText.text(number))) }
        }
        // An insert compares the values of the entries that share its value part.
        let (found, parts) = try store.read { tx in
            let scope = tx._reading
            let type = scope.catalog.types[0]
            var cursor = try scope.snapshot.openCursor(type.indexes[0].database)
            var parts: Set<[UInt8]> = []
            var found = 0
            var isPositioned = try cursor.first()
            while isPositioned {
                found += 1
                parts.insert(cursor.key.extracting(first: KeyLimit.indexValue).array())
                isPositioned = try cursor.next()
            }
            return (found, parts.count)
        }
        #expect(found == 4_000 && parts == 4_000)
        let error = #expect(throws: StoreError.self) {
            _ = try store.blockingWrite { try $0.insert(Coin(id: -1, mark: CollidingText.text(77))) }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(try store.get(Coin.self, unique: \.mark, equals: CollidingText.text(77))?.id == 77)
        #expect(try Self.findings(store) == [])
    }

    @Test func `an old store refuses such unique values before they make writes slow`() throws {
        let directory = try TestDirectory()
        let store = try Self.oldStore(directory, Coin.self)
        defer { store.close() }
        _ = try store.blockingWrite { tx in
            for number in 0..<64 { try tx.insert(Coin(id: number, mark: CollidingText.text(number))) }
            try tx.insert(Coin(id: 64, mark: "short"))
        }
        let further = CollidingText.text(64)
        for write: @Sendable (inout WriteTransaction) throws -> Void in [
            { _ = try $0.insert(Coin(id: 65, mark: further)) }, { try $0.update(Coin(id: 64, mark: further)) },
        ] {
            let error = #expect(throws: StoreError.self) { try store.blockingWrite(write) }
            #expect(error?.code == .keyCollision)
            #expect(error?.message.hasPrefix("mark of 6") == true, "\(error!)")
        }
        let taken = #expect(throws: StoreError.self) {
            _ = try store.blockingWrite { try $0.insert(Coin(id: 65, mark: CollidingText.text(63))) }
        }
        #expect(taken?.code == .uniqueViolation)
        _ = try store.blockingWrite { tx in
            try tx.update(Coin.self, id: 3) { $0.mark = "other" }
            try tx.insert(Coin(id: 65, mark: further))
        }
        #expect(try store.count(Coin.self) == 66)
        #expect(try Self.findings(store) == [])
    }

    @Test func `the error shows where the two ids differ`() throws {
        let directory = try TestDirectory()
        let store = try Self.store(directory)
        defer { store.close() }
        let new = Self.ids[1]
        let error = #expect(throws: StoreError.self) {
            _ = try store.blockingWrite { try $0.insert(Item(id: new, text: "x")) }
        }
        let shown = RecordText.shortenedDifferently(new, Self.ids[0])
        #expect(shown.first != shown.second)
        #expect(
            error?.message
                == "the id \(shown.first) of Item has the same key as the id \(shown.second) of another record")
    }

    @Test(arguments: [
        ("a", "b"), (String(repeating: "a", count: 300), String(repeating: "a", count: 301)),
        (
            String(repeating: "a", count: 200),
            String(repeating: "a", count: 100) + "b" + String(repeating: "a", count: 99)
        ),
    ])
    func `two texts are shortened to two texts`(first: String, second: String) {
        for (first, second) in [(first, second), (second, first)] {
            let shown = RecordText.shortenedDifferently(first, second)
            #expect(shown.first != shown.second)
            for (shown, text) in [(shown.first, first), (shown.second, second)] {
                #expect(shown.count <= 80 && shown.split(separator: "…").allSatisfy(text.contains), "\(shown)")
            }
        }
    }

    @Test(arguments: 1..<4) func `no way of writing takes another record for the own one`(_ other: Int) throws {
        let directory = try TestDirectory()
        let store = try Self.store(directory)
        defer { store.close() }
        let id = Self.ids[other]
        let refused: [(String, @Sendable (inout WriteTransaction) throws -> Void)] = [
            ("insert", { _ = try $0.insert(Item(id: id, text: "x")) }),
            ("upsert", { _ = try $0.upsert(Item(id: id, text: "x")) }),
            ("put", { try $0.put(DynamicRecord(values: [.string(id), .string("x")]), typeIndex: 0, mode: .upsert) }),
            (
                "apply",
                { tx in
                    let type = tx._reading.catalog.types[0].type.id
                    try tx.apply([AppliedChange(type: type, .insert([.string(id), .string("x")]))])
                }
            ),
        ]
        for (name, write) in refused {
            let error = #expect(throws: StoreError.self, "\(name)") { try store.blockingWrite(write) }
            #expect(error?.code == .keyCollision, "\(name): \(error!)")
        }
        let replacing = #expect(throws: StoreError.self) {
            try store.blockingWrite { tx in
                try tx.delete(Item.self, id: Self.ids[0])
                try tx.insert(Item(id: id, text: "x"))
            }
        }
        #expect(replacing?.code == .keyCollision, "\(replacing!)")
        let missing: [(String, @Sendable (inout WriteTransaction) throws -> Void)] = [
            ("update", { try $0.update(Item(id: id, text: "x")) }),
            ("change", { try $0.update(Item.self, id: id) { $0.text = "x" } }),
        ]
        for (name, write) in missing {
            let error = #expect(throws: StoreError.self, "\(name)") { try store.blockingWrite(write) }
            #expect([.keyCollision, .recordNotFound].contains(error?.code), "\(name): \(error!)")
        }
        #expect(try store.blockingWrite { try $0.delete(Item.self, id: id) } == false)
        #expect(try store.blockingWrite { try $0.delete(dynamicID: [.string(id)], typeIndex: 0) } == false)
        #expect(try store.read { try $0.all(Item.self) }.map(\.text) == ["first"])
        #expect(try store.position.sequence == 2)
    }

    @Test(arguments: 1..<4) func `no way of reading takes another record for the wanted one`(_ other: Int) throws {
        let directory = try TestDirectory()
        let store = try Self.store(directory)
        defer { store.close() }
        let id = Self.ids[other]
        let held = try store.model(Item.self, id: Self.ids[0])
        #expect(try store.get(Item.self, id: id) == nil)
        #expect(try store.exists(Item.self, id: id) == false)
        #expect(try store.modelIfPresent(Item.self, id: id) == nil)
        #expect(try store.fetch(Item.where { $0.id == id }).isEmpty)
        #expect(try store.read { try $0.get(Item.self, id: id) } == nil)
        withExtendedLifetime(held) {}
    }
}
