import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// A record of which an older program declares a part.
private enum Carton {
    @Embedded
    struct Size: Hashable {
        var width: Int = 1
    }

    @Record("Carton")
    struct Old: Equatable {
        @ID var id: Int
        var title: String = ""
        var size: Carton.Size = Carton.Size()
    }

    @Embedded
    struct NewSize: Hashable {
        var width: Int = 1
        var depth: Int = 1
    }

    @Record("Carton")
    struct New: Equatable {
        @ID var id: Int
        var title: String = ""
        var size: Carton.NewSize = Carton.NewSize()
        var weight: Int = 0
    }
}

/// Changes to fields, and to fields of structs, that an older program does not declare.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UndeclaredPartTests {
    /// Changes cartons as the newer program does.
    private static func change(
        _ store: Store, _ ids: Int64..., body: @escaping @Sendable (inout [DynamicValue]) -> Void
    ) async throws {
        try await store.write { tx in
            let index = try tx._reading.catalog.requireTypeIndex(named: "Carton")
            for id in ids {
                guard var record = try tx._reading.dynamicRecord(id: [.int(id)], typeIndex: index) else { continue }
                body(&record.values)
                _ = try tx.put(record, typeIndex: index, mode: .update)
            }
        }
    }

    private static func setSize(_ values: inout [DynamicValue], _ width: Int64, _ depth: Int64) {
        values[2] = .fields([.int(width), .int(depth)])
    }

    @Test(arguments: [false, true])
    func `a change to parts that the program does not declare is no update, before and after they come`(
        comesLater: Bool
    ) async throws {
        let store = try Store.temporary(records: Carton.Old.self)
        try await store.write { tx in for id in 1...2 { try tx.insert(Carton.Old(id: id)) } }
        if !comesLater { _ = try store.migrate(to: [Carton.New.recordSchema], isTrial: false) }
        let request = Carton.Old.order { $0.id.ascending }
        var updates = store.updates(of: request).makeAsyncIterator()
        var ofSize = store.updates(of: request.watching(\.size)).makeAsyncIterator()
        var joined = store.updates(of: request, request.limit(1)).makeAsyncIterator()
        let model = try store.model(Carton.Old.self, id: 1)
        var changes = model.changes.makeAsyncIterator()
        _ = (try await updates.next(), try await ofSize.next(), try await joined.next(), await changes.next())
        if comesLater {
            _ = try store.migrate(to: [Carton.New.recordSchema], isTrial: false)
            // A change of the schema is an update.
            #expect(try await updates.next()?.changes.updates.isEmpty == true)
            _ = (try await ofSize.next(), try await joined.next())
        }

        try await Self.change(store, 1, 2) { $0[3] = .int(9) }
        try await Self.change(store, 1, 2) { Self.setSize(&$0, 1, 9) }
        try await Self.change(store, 1) { values in
            values[1] = .string("x")
            Self.setSize(&values, 1, 10)
            values[3] = .int(10)
        }
        let update = try #require(try await updates.next())
        #expect(update.changes.updates.map(\.new.id) == [1])
        #expect(update.changes.updates.first?.changedFields.names == ["title"])
        #expect(update.results.map(\.title) == ["x", ""])
        let both = try #require(try await joined.next())
        #expect(both.changes.0.updates.map(\.new.id) == [1] && both.changes.1.updates.map(\.new.id) == [1])
        let change = try #require(await changes.next())
        #expect(change.changedFields.names == ["title"] && change.old?.title == "")

        try await Self.change(store, 2) { Self.setSize(&$0, 5, 9) }
        let widened = try #require(try await ofSize.next())
        #expect(widened.changes.updates.map(\.new.id) == [2])
        #expect(widened.changes.updates.first?.changedFields.names == ["size"])
    }
}
