import Foundation
import ModelStore
import Testing

@Record private struct Rookery {
    @ID var id: String
}

@Record private struct Manuscript {
    enum Kind: String, Codable { case novel, atlas }

    @ID var id: Int
    @Unique var kind: Kind?
    var title: String
    var pages: Int
    var price: Double?
    @Reference(onDelete: .nullify) var rookery: Reference<Rookery>?
    @Reference(onDelete: .nullify) var former: [Reference<Rookery>] = []
}

@Suite("One-shot reads") struct OneShotReadTests {
    private static let kept = Inverse<Rookery, Manuscript>(\.rookery)

    private static func store() async throws -> Store {
        let store = try Store.temporary(records: Rookery.self, Manuscript.self)
        try await store.write { tx in
            for id in ["a", "b"] { try tx.insert(Rookery(id: id)) }
            for id in 0..<6 {
                try tx.insert(
                    Manuscript(
                        id: id, kind: id == 3 ? .atlas : nil, title: "t\(id % 2)", pages: id * 10,
                        price: id < 4 ? Double(id) : nil, rookery: id < 5 ? Reference(id % 2 == 0 ? "a" : "b") : nil,
                        former: id == 1 ? [Reference("b"), Reference("a")] : []))
            }
        }
        return store
    }

    @Test func `a store reads rows, types, predicates and groups without a transaction of the caller`() async throws {
        let store = try await Self.store()
        let thick = Manuscript.where { $0.pages >= 20 }.order { $0.id.descending }
        #expect(try store.fetch(Manuscript.self).map(\.id).sorted() == [0, 1, 2, 3, 4, 5])
        #expect(try store.fetch(#Predicate<Manuscript> { $0.title == "t1" }).map(\.id).sorted() == [1, 3, 5])
        let rows = thick.fields { ($0.id, $0.title) }
        #expect(try store.fetch(rows).map(\.0) == [5, 4, 3, 2])
        #expect(try store.first(rows)?.1 == "t1")
        #expect(try store.count(rows) == 4)
        #expect(try store.fetch(thick.fields { $0.title }.distinct()) == ["t1", "t0"])
        let groups = try store.fetch(thick.grouped(by: { $0.title }) { $0.pages.sum })
        #expect(groups.map(\.key) == ["t0", "t1"] && groups.map(\.values) == [60, 80])
        let sections = try store.fetch(thick.sections(by: { $0.title }))
        #expect(sections.map { $0.records.map(\.id) } == [[4, 2], [5, 3]])
    }

    @Test func `a store reads pages and explains requests without a transaction of the caller`() async throws {
        let store = try await Self.store()
        let request = Manuscript.order { $0.id.ascending }.limit(4)
        let page = try store.page(request)
        #expect(page.rows.map(\.id) == [0, 1, 2, 3])
        let rest = try store.page(request.after(#require(page.next)).fields { $0.pages })
        #expect(rest.rows == [40, 50] && rest.next == nil)
        #expect(try store.explain(request) == store.read { try $0.explain(request) })
        let rows = request.fields { $0.id }
        #expect(try store.explain(rows, analyzed: true) == store.read { try $0.explain(rows, analyzed: true) })
    }

    @Test func `a store reads sums, means and extremes without a transaction of the caller`() async throws {
        let store = try await Self.store()
        let all = FetchRequest(Manuscript.self)
        #expect(try store.sum(all, \.pages) == 150)
        #expect(try store.average(all, \.price) == 1.5)
        #expect(try store.min(Manuscript.where { $0.pages > 5 }, \.pages) == 10)
        #expect(try store.max(all, \.pages) == 50)
        #expect(try store.min(all, \.price) == 0)
        #expect(try store.max(all, \.price) == 3)
    }

    @Test func `a store reads records with those that they refer to without a transaction of the caller`() async throws
    {
        let store = try await Self.store()
        let request = Manuscript.where { $0.id >= 4 }.order { $0.id.ascending }
        #expect(try store.fetch(request, with: \.rookery).map { $0.1?.id } == ["a", nil])
        #expect(
            try store.fetch(Manuscript.where { $0.id == 1 }, with: \.former).map { $0.1.map(\.id) } == [["b", "a"]])
        let rookeries = Rookery.order { $0.id.ascending }
        #expect(try store.fetch(rookeries, with: Self.kept).map { $0.1.map(\.id) } == [[0, 2, 4], [1, 3]])
        #expect(try store.fetch(Self.kept, of: "b").map(\.id) == [1, 3])
    }

    @Test func `a store finds a record by a unique enum without a transaction of the caller`() async throws {
        let store = try await Self.store()
        #expect(try store.get(Manuscript.self, unique: \.kind, equals: .atlas)?.id == 3)
        #expect(try store.get(Manuscript.self, unique: \.kind, equals: .novel) == nil)
    }
}
