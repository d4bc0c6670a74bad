import Foundation
import ModelStore
import Testing

@Record struct Leaflet: Equatable {
    @ID var id: Int
    @Indexed var text: String
    var remark: String?
    var blob: Data
    var bytes: [UInt8]
    var spare: Data?
}

@Record struct Basket: Equatable {
    @ID var id: Int
    @Indexed var names: [String]?
    var marks: Set<Int>?
    var prices: [String: Int]?
}

/// Conditions on the content of texts and data give the same results as Swift.
@Suite struct ContentConditionTests {
    private static let leaflets: [Leaflet] = {
        let texts = ["", "a", "é", "e\u{301}", "👨‍👩‍👧", "\r\n", "four", "🇩🇪🇫🇷", "\u{0}"]
        let contents: [[UInt8]] = [[], [5], [0, 5, 0], [1, 2, 3, 4], [255]]
        return (0..<90).map { id in
            let content = contents[id % contents.count]
            return Leaflet(
                id: id, text: texts[id % texts.count], remark: id % 4 == 0 ? nil : texts[id / 2 % texts.count],
                blob: Data(content), bytes: contents[id / 5 % contents.count],
                spare: id % 3 == 0 ? nil : Data(content))
        }
    }()

    private func check(
        _ condition: (Leaflet.Fields) -> Condition<Leaflet>, _ holds: (Leaflet) -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let store = try Store.temporary(records: Leaflet.self)
        try store.write { tx in for leaflet in Self.leaflets { try tx.insert(leaflet) } }
        let expected = Self.leaflets.filter(holds).map(\.id)
        #expect(!expected.isEmpty && expected.count < Self.leaflets.count, sourceLocation: location)
        let found = try store.read { try $0.fetch(Leaflet.where(condition).order { $0.id.ascending }) }
        #expect(found.map(\.id) == expected, sourceLocation: location)
    }

    @Test func `texts are empty, and have a number of characters`() throws {
        try check({ $0.text.isEmpty }, { $0.text.isEmpty })
        try check({ !$0.text.isEmpty }, { !$0.text.isEmpty })
        try check({ $0.text.count == 0 }, { $0.text.isEmpty })
        try check({ $0.text.count == 1 }, { $0.text.count == 1 })
        try check({ $0.text.count > 1 }, { $0.text.count > 1 })
    }

    @Test func `a text that is nil is neither empty nor of any length, which differs from all`() throws {
        try check({ $0.remark.isEmpty }, { $0.remark?.isEmpty ?? false })
        try check({ $0.remark.count <= 1 }, { $0.remark.map { $0.count <= 1 } ?? false })
        try check({ $0.remark.count != 1 }, { $0.remark?.count != 1 })
        try check({ !($0.remark.count == 1) }, { $0.remark?.count != 1 })
    }

    @Test func `data is empty, has a number of bytes, and holds some`() throws {
        try check({ $0.blob.isEmpty }, { $0.blob.isEmpty })
        try check({ $0.blob.count >= 3 }, { $0.blob.count >= 3 })
        try check({ $0.blob.contains(5) }, { $0.blob.contains(5) })
        try check({ $0.blob.any { $0 > 4 } }, { $0.blob.contains { $0 > 4 } })
        try check({ $0.blob.all { $0 < 5 } }, { $0.blob.allSatisfy { $0 < 5 } })
        try check({ $0.bytes.isEmpty }, { $0.bytes.isEmpty })
        try check({ $0.bytes.count == 1 }, { $0.bytes.count == 1 })
        try check({ $0.bytes.contains(255) }, { $0.bytes.contains(255) })
        try check({ $0.bytes.any { $0.in([2, 5]) } }, { $0.bytes.contains { [2, 5].contains($0) } })
    }

    @Test func `data that is nil is not empty and holds nothing`() throws {
        try check({ $0.spare.isEmpty }, { $0.spare?.isEmpty ?? false })
        try check({ $0.spare.count < 3 }, { $0.spare.map { $0.count < 3 } ?? false })
        try check({ $0.spare.count != 3 }, { $0.spare?.count != 3 })
        try check({ $0.spare.any { $0 == 5 } }, { $0.spare?.contains(5) ?? false })
    }

    @Test func `an empty text is looked up in an index`() throws {
        let store = try Store.temporary(records: Leaflet.self)
        try store.write { tx in for leaflet in Self.leaflets { try tx.insert(leaflet) } }
        let plan = try store.read { try $0.explain(Leaflet.where { $0.text.isEmpty }) }
        #expect(plan.hasPrefix("look in the index on text by text"), "\(plan)")
    }

    @Test func `predicates say the same`() throws {
        let store = try Store.temporary(records: Leaflet.self)
        try store.write { tx in for leaflet in Self.leaflets { try tx.insert(leaflet) } }
        let predicates: [Predicate<Leaflet>] = [
            #Predicate { $0.text.isEmpty }, #Predicate { $0.text.count > 1 }, #Predicate { $0.blob.isEmpty },
            #Predicate { $0.bytes.isEmpty }, #Predicate { $0.blob.count == 1 }, #Predicate { $0.bytes.count < 3 },
            #Predicate { $0.blob.contains(5) }, #Predicate { $0.bytes.contains(where: { $0 > 4 }) },
            #Predicate { $0.remark?.isEmpty == true },
        ]
        for predicate in predicates {
            let expected = try Self.leaflets.filter { try predicate.evaluate($0) }.map(\.id)
            #expect(!expected.isEmpty && expected.count < Self.leaflets.count)
            let request = try FetchRequest(predicate).order { $0.id.ascending }
            #expect(try store.read { try $0.fetch(request) }.map(\.id) == expected, "\(predicate)")
        }
    }

    @Test func `collections that are nil are not empty, hold nothing and have no number of elements`() throws {
        let baskets = (0..<30).map { id in
            Basket(
                id: id, names: id % 4 == 0 ? nil : Array(["a", "b", "c"].prefix(id % 3)),
                marks: id % 3 == 0 ? nil : Set(0..<id % 5), prices: id % 5 == 0 ? nil : id % 2 == 0 ? [:] : ["x": id])
        }
        let store = try Store.temporary(records: Basket.self)
        try store.write { tx in for basket in baskets { try tx.insert(basket) } }
        let conditions: [(FetchRequest<Basket>, (Basket) -> Bool)] = [
            (Basket.where { $0.names.contains("b") }, { $0.names?.contains("b") ?? false }),
            (Basket.where { $0.names.isEmpty }, { $0.names?.isEmpty ?? false }),
            (Basket.where { $0.names.count < 2 }, { $0.names.map { $0.count < 2 } ?? false }),
            (Basket.where { $0.names.contains("a") && $0.names == nil }, { _ in false }),
            (Basket.where { $0.names.contains("a") && $0.names != nil }, { $0.names?.contains("a") ?? false }),
            (Basket.where { $0.marks.contains(2) }, { $0.marks?.contains(2) ?? false }),
            (Basket.where { !$0.marks.isEmpty }, { !($0.marks?.isEmpty ?? false) }),
            (Basket.where { $0.prices.isEmpty }, { $0.prices?.isEmpty ?? false }),
            (Basket.where { $0.prices.count == 1 }, { $0.prices?.count == 1 }),
        ]
        for (number, (request, holds)) in conditions.enumerated() {
            let found = try store.read { try $0.fetch(request).map(\.id).sorted() }
            #expect(found == baskets.filter(holds).map(\.id), "condition \(number)")
            #expect(try store.read { try $0.count(request) } == found.count, "condition \(number)")
        }
    }
}
