import ModelStore
import StoreEngine
import StoreRuntime
import Testing

private enum Shop1 {
    @Record("Sale") struct Sale {
        @ID var id: Int
        var price: String
    }
}

private enum Shop2 {
    @Record("Sale") struct Sale {
        @ID var id: Int
        var cents: Int
    }

    /// Transforms every record to another type with the same name.
    static let plan = MigrationPlan(
        MigrationVersion("one", Shop1.Sale.self),
        MigrationVersion(
            "two", Sale.self,
            steps: .transform(Shop1.Sale.self, to: Sale.self) { old in Sale(id: old.id, cents: old.price.utf8.count) }))
}

/// Feed readers that filter by one record type, when a migration replaces that type.
@Suite struct ReplacedTypeFeedTests {
    @Test func `who had not read all changes of the earlier type receives them and its end`() async throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Shop1.Sale.self)
        let start = try old.position
        for id in 0..<20 { try await old.write { try $0.insert(Shop1.Sale(id: id, price: "1.00")) } }
        old.close()
        var options = StoreOptions()
        options.migrations = Shop2.plan
        let store = try Store(at: directory.path, records: Shop2.Sale.self, options: options)
        let end = try store.position
        var told: [String] = []
        for try await set in store.changes(since: start, FeedOptions(only: FeedFilter(Shop2.Sale.self))) {
            for change in set.changes {
                let schema = try change.schema()
                told.append("\(change.kind) \(schema?["isReplaced"] == .bool(true) ? "end" : change.typeName)")
            }
            if set.sequence == end.sequence { break }
        }
        #expect(told.filter { $0 == "schema end" }.count == 1, "\(told)")
        #expect(told.filter { $0 == "insert Sale" }.count == 40 && told.filter { $0 == "delete Sale" }.count == 20)
        #expect(Set(told) == ["schema end", "schema Sale", "insert Sale", "delete Sale"])
    }
}
