import ModelStore
import StoreEngine
import Testing

@Record struct Product: Equatable {
    @ID var id: Int
    var category: String
    @Indexed var name: String
    var maker: Reference<Maker>?
}

@Record struct Maker: Equatable {
    @ID var id: Int
    var country: String
}

@Record struct OrderLine: Equatable {
    @ID var id: Int
    @Indexed var order: Int
    var product: Reference<Product>?
    var count: Int
}

/// From which side the store answers a condition through a reference, and how many records it reads.
@Suite struct ReferenceFollowingTests {
    private static func store() throws -> Store {
        let store = try Store.temporary(records: Product.self, Maker.self, OrderLine.self)
        try store.write { tx in
            for id in 0..<10 { try tx.insert(Maker(id: id, country: id % 2 == 0 ? "DE" : "FR")) }
            for id in 0..<5_000 {
                let category = id % 2 == 0 ? "toy" : "book"
                let maker: Reference<Maker>? = id % 3 == 0 ? nil : Reference(id % 10)
                try tx.insert(Product(id: id, category: category, name: "name \(id)", maker: maker))
            }
            for id in 0..<2_000 {
                let product: Reference<Product>? = id % 5 == 0 ? nil : Reference(id * 2 % 4_999)
                try tx.insert(OrderLine(id: id, order: id / 4, product: product, count: id % 7))
            }
        }
        return store
    }

    /// Returns the ids of the matching records, and the number of entries and records that the request reads.
    private static func run(
        _ request: FetchRequest<OrderLine>, _ store: Store, search: ReferrerSearch? = nil
    ) throws -> (ids: [Int], looked: Int) {
        let type = try store.typeIndex(named: "OrderLine")
        return try store.read { tx in
            var ids: [Int] = []
            let request = request.order { $0.id.ascending }.request
            let looked = try tx._reading.fetchDynamic(request, typeIndex: type, search: search) { record in
                if case .int(let id) = record.values[0] { ids.append(Int(id)) }
                return true
            }
            return (ids, looked)
        }
    }

    @Test func `a narrow condition is walked first, and the references of what it finds are followed`() throws {
        let store = try Self.store()
        let requests: [FetchRequest<OrderLine>] = [
            OrderLine.where { $0.order == 1 && $0.product.category == "toy" },
            OrderLine.where { $0.product.category == "toy" && $0.order == 1 },
            OrderLine.where { $0.order == 1 && ($0.product.category == "toy" || $0.product.name == "name 10") },
            OrderLine.where { $0.order == 1 && $0.product.category != "toy" },
            OrderLine.where { $0.order == 1 && !($0.product.category == "toy") },
            OrderLine.where { $0.order == 1 && $0.product.maker.country == "DE" },
            OrderLine.where { $0.order == 1 && $0.product.maker.country == nil },
            OrderLine.where { $0.order == 1 && $0.product.category.hasPrefix("t") && $0.product.maker.id == 4 },
        ]
        for request in requests {
            let (ids, looked) = try Self.run(request, store)
            #expect(looked < 20, "\(request): looked at \(looked)")
            #expect(try Self.run(request, store, search: .fromReferrers).ids == ids, "\(request)")
        }
    }

    @Test func `a narrow condition on the other record is answered first`() throws {
        let store = try Self.store()
        let (ids, looked) = try Self.run(
            OrderLine.where { $0.count >= 0 && $0.product.name == "name 16" }, store)
        #expect(ids == [8] && looked < 20, "looked at \(looked)")
        let both = try Self.run(
            OrderLine.where { $0.product.category == "toy" && $0.product.name == "name 16" }, store)
        #expect(both.ids == [8] && both.looked < 20, "looked at \(both.looked)")
    }

    @Test func `explain says how many records following references took`() throws {
        let store = try Self.store()
        let request = OrderLine.where { $0.order == 1 && $0.product.category == "toy" }
        let plan = try store.read { try $0.explain(request) }
        #expect(
            plan.hasPrefix("walk all OrderLine by product.category == \"toy\" first: looked at 4, found"), "\(plan)")
    }

    @Test func `explain tells a long list by its length and its first values`() throws {
        let store = try Self.store()
        let long = OrderLine.where { $0.count.in(Array(0..<32)) }
        let plan = try store.read { try $0.explain(long) }
        #expect(plan.contains("test each record: count in [32 keys: 0, 1, 2, …]"), "\(plan)")
        let short = try store.read { try $0.explain(OrderLine.where { $0.count.in([1, 2, 3]) }) }
        #expect(short.contains("test each record: count in [1, 2, 3]"), "\(short)")
        let others = try store.read { try $0.explain(OrderLine.where { !$0.count.in(Array(0..<32)) }) }
        #expect(others.contains("test each record: count not in [32 keys: 0, 1, 2, …]"), "\(others)")
    }

    @Test func `a live query follows the records behind its references, whichever side is walked`() async throws {
        let store = try Self.store()
        let request = OrderLine.where { $0.order == 1 && $0.product.category == "toy" }
        var counts = store.counts(of: request).makeAsyncIterator()
        let first = try #require(try await counts.next()?.value)
        let product = try #require(try store.read { try $0.get(OrderLine.self, id: 4)?.product ?? Reference(0) })
        let line = try #require(try store.read { try $0.get(OrderLine.self, id: 4) })
        #expect(line.order == 1)
        try await store.write { try $0.update(Product.self, id: product.id) { $0.category = "book" } }
        #expect(try await counts.next()?.value == first - 1)
    }
}
