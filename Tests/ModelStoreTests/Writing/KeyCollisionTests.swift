import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Long ids whose truncated keys are equal. Only one of them can be stored, and no operation takes one for another.
@Suite("Ids with equal keys") struct KeyCollisionTests {
    @Record struct Item {
        @ID var id: String
        var text: String
    }

    /// Four ids with equal keys: the two hashes of a truncated key have public seeds, so anyone can compute such ids.
    private static let ids = [
        #"2SZ6Abnkeojo*||Nh.VF8zq~k@'v+=qb2|,(ii2?sz33aN$P#yZ$lz+mP|@Aly:4"#,
        #"2SZ6AR)@eojo*||Nh.VF8zq~k@'v+=qb242(2Cq>sz33aN$P#yZ$lz+mP|@Aly:4"#,
        #"2SZ6Abnkeojo*l7#h.VF8zq~k@'v+=qb2|,(ii2?s293*(cO#yZ$lz+mP|@Aly:4"#,
        #"2SZ6AR)@eojo*l7#h.VF8zq~k@'v+=qb242(2Cq>s293*(cO#yZ$lz+mP|@Aly:4"#,
    ].map { String(repeating: "a", count: 256) + $0 }

    private static func store() throws -> Store {
        let store = try Store.temporary(records: Item.self)
        _ = try store.blockingWrite { try $0.insert(Item(id: ids[0], text: "first")) }
        return store
    }

    @Test func `the ids have one key`() {
        #expect(Set(Self.ids).count == 4)
        #expect(Set(Self.ids.map { RecordKey.of(Item.self, id: $0) }).count == 1)
    }

    @Test(arguments: 1..<4) func `no way of writing takes another record for the own one`(_ other: Int) throws {
        let store = try Self.store()
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
        let store = try Self.store()
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
