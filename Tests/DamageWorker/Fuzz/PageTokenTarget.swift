import Foundation
import ModelStore
import TestSupport

/// The tokens with which clients ask for the next page.
struct PageTokenTarget: FuzzTarget {
    let inputs: Mutator
    private let store: Store
    private let requests = [
        FetchRequest(Item.self).order { $0.group.descending }.limit(3),
        FetchRequest(Item.self).order { [$0.text.ascending, $0.name.descending] }.limit(3),
        FetchRequest(Item.self).where { $0.group < 4 }.limit(3),
    ]

    init() async throws {
        store = try Store.temporary(records: Item.self)
        try await store.write { tx in
            for id in 0..<40 {
                let text = String(repeating: "text", count: id % 5 * 60)
                try tx.insert(Item(id: id, name: "item \(id)", group: id % 13, text: text))
            }
        }
        var tokens: [String] = []
        for request in requests {
            guard let token = try store.page(request).next else { throw Mismatch("a request has one page") }
            tokens.append(token.description)
        }
        inputs = Mutator(texts: tokens, words: ["AA", "__", "--", "=", "////", "+", "A", "\u{0}", "Ä"])
    }

    func run(_ input: [UInt8], number: Int, _ random: inout TestRandom) throws -> Bool {
        let isAccepted = try use(String(decoding: input, as: UTF8.self))
        // A client can also change the bytes in the text. Then the fingerprint often still belongs to the request.
        let original = String(decoding: random.pick(inputs.corpus), as: UTF8.self)
        guard var bytes = Self.bytes(of: original) else { return isAccepted }
        let prefix = Array(bytes.prefix(random.oneIn(8) ? 0 : 9))
        bytes = Array(bytes.dropFirst(prefix.count))
        for _ in 0...random.below(3) { random.pick(Mutation.allCases).apply(to: &bytes, &random) }
        return try use(Data(prefix + bytes).base64EncodedString()) || isAccepted
    }

    private static func bytes(of token: String) -> [UInt8]? {
        let text = token.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)).map(Array.init)
    }

    /// Returns whether a request accepts the token.
    private func use(_ text: String) throws -> Bool {
        guard let token = PageToken(text) else { return false }
        guard PageToken(token.description) == token else { throw Mismatch("\(token) reads back as another token") }
        var isAccepted = false
        for request in requests {
            do {
                let page = try store.page(request.after(token))
                guard page.rows.count <= 3 else { throw Mismatch("a page has \(page.rows.count) rows") }
                isAccepted = true
            } catch let error as StoreError {
                guard error.code == .invalidValue else { throw error }
            }
        }
        return isAccepted
    }
}
