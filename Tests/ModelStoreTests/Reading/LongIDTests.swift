import ModelStore
import Testing

@Record private struct Document {
    @ID var url: String
    @Indexed var site: String
}

@Record private struct Remark {
    @ID var name: String
    @Reference(onDelete: .cascade) var document: Reference<Document>
}

private let remarks = Inverse<Document, Remark>(\.document)

/// Ids whose keys are truncated to a shared beginning and a hash.
@Suite struct LongIDTests {
    private static let beginning = String(repeating: "p", count: 245)

    /// Returns a URL. Every third one fits into a key; the others have about 400 bytes or more.
    private static func url(_ number: Int) -> String {
        "\(beginning)\(number + 10)" + (number % 3 == 0 ? "" : String(repeating: "q", count: 150 + number))
    }

    private func store(_ numbers: some Sequence<Int>) throws -> Store {
        let store = try Store.temporary(records: Document.self, Remark.self)
        let numbers = Array(numbers)
        try store.write { tx in
            for number in numbers { try tx.insert(Document(url: Self.url(number), site: "\(number % 2)")) }
            try tx.insert(Document(url: "a", site: "1"))
            try tx.insert(Document(url: "z", site: "0"))
        }
        return store
    }

    private func sorted(_ numbers: some Sequence<Int>) -> [String] { (numbers.map(Self.url) + ["a", "z"]).sorted() }

    @Test func `records come in the order of their ids, whichever way they are asked for`() throws {
        let store = try store(0..<40)
        let ids = sorted(0..<40)
        try store.read { tx in
            #expect(try tx.all(Document.self).map(\.url) == ids)
            var seen: [String] = []
            try tx.forEach(Document.self) { document in
                seen.append(document.url)
                return seen.count < 17
            }
            #expect(seen == Array(ids.prefix(17)))
            #expect(try tx.fetch(Document.order { $0.url.ascending }).map(\.url) == ids)
            #expect(try tx.fetch(Document.order { $0.url.descending }).map(\.url) == ids.reversed())
            let middle = Document.order { $0.url.descending }.offset(7).limit(9)
            #expect(try tx.fetch(middle).map(\.url) == Array(ids.reversed()[7..<16]))
            let bySite = try tx.fetch(Document.order { $0.site.descending }).map(\.url)
            let sites = Dictionary(uniqueKeysWithValues: try tx.all(Document.self).map { ($0.url, $0.site) })
            #expect(bySite == ids.filter { sites[$0] == "1" }.reversed() + ids.filter { sites[$0] == "0" }.reversed())
        }
    }

    @Test func `ranges, beginnings and extremes of ids go by the whole of them`() throws {
        let store = try store(0..<40)
        let ids = sorted(0..<40)
        let (low, high) = (Self.url(7), Self.url(23))
        let range = Document.where { $0.url > low && $0.url <= high }.order { $0.url.ascending }
        #expect(try store.read { try $0.fetch(range).map(\.url) } == ids.filter { $0 > low && $0 <= high })
        let start = Self.beginning + "2"
        let begun = Document.where { $0.url.hasPrefix(start) }.order { $0.url.ascending }
        #expect(try store.read { try $0.fetch(begun).map(\.url) } == ids.filter { $0.hasPrefix(start) })
        let inner = Document.where { $0.url > "b" && $0.url < "y" }
        #expect(try store.read { try $0.min(inner, \.url) } == ids[1])
        #expect(try store.read { try $0.max(inner, \.url) } == ids[ids.count - 2])
    }

    @Test func `pages neither skip nor repeat a record, whatever is written between them`() throws {
        for isDescending in [false, true] {
            let store = try store(stride(from: 0, to: 60, by: 2))
            let request = Document.order { isDescending ? $0.url.descending : $0.url.ascending }.limit(4)
            var (found, token, number): ([String], PageToken?, Int) = ([], nil, 0)
            repeat {
                let page = try store.read { tx in try tx.page(token.map { request.after($0) } ?? request) }
                found += page.rows.map(\.url)
                token = page.next
                // One record is inserted and one deleted, before or after the page.
                let (new, old) = (2 * number + 1, (number * 7 + 3) % 30 * 2)
                try store.write { tx in
                    try tx.insert(Document(url: Self.url(new), site: "new"))
                    _ = try tx.delete(Document.self, id: Self.url(old))
                }
                number += 1
            } while token != nil
            #expect(found == (isDescending ? Array(found.sorted().reversed()) : found.sorted()))
            #expect(Set(found).count == found.count)
            let gone = Set((0..<number).map { Self.url(($0 * 7 + 3) % 30 * 2) })
            let stayed = sorted(stride(from: 0, to: 60, by: 2)).filter { !gone.contains($0) }
            #expect(Set(found).isSuperset(of: stayed))
        }
    }

    @Test func `those that refer to a record come in the order of their ids`() throws {
        let store = try store(0..<3)
        try store.write { tx in
            for number in 0..<30 {
                try tx.insert(Remark(name: Self.url(number), document: Reference(Self.url(number % 3))))
            }
        }
        try store.read { tx in
            let pairs = try tx.fetch(Document.where { $0.url > "b" && $0.url < "y" }, with: remarks)
            #expect(pairs.count == 3)
            for number in 0..<3 {
                let names = stride(from: number, to: 30, by: 3).map(Self.url).sorted()
                #expect(try tx.fetch(remarks, of: Self.url(number)).map(\.name) == names)
                #expect(pairs.first { $0.0.url == Self.url(number) }?.1.map(\.name) == names)
            }
        }
    }

    @Test func `a live window keeps the order of ids`() async throws {
        let store = try store(stride(from: 0, to: 30, by: 3))
        let request = Document.order { $0.url.descending }.limit(5)
        var updates = store.updates(of: request).makeAsyncIterator()
        var ids = sorted(stride(from: 0, to: 30, by: 3))
        #expect(try await updates.next()?.results.map(\.url) == Array(ids.reversed().prefix(5)))
        for number in [25, 28, 29, 26] {
            try await store.write { try $0.insert(Document(url: Self.url(number), site: "")) }
            ids = (ids + [Self.url(number)]).sorted()
            #expect(try await updates.next()?.results.map(\.url) == Array(ids.reversed().prefix(5)))
        }
        for gone in ids.reversed().prefix(4) {
            try await store.write { _ = try $0.delete(Document.self, id: gone) }
            ids.removeAll { $0 == gone }
            #expect(try await updates.next()?.results.map(\.url) == Array(ids.reversed().prefix(5)))
        }
    }
}
