import ModelStore
import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// Values that closures compute from requests whose groups, sections, rows and conditions use fields of other records.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveReferenceValueTests {
    private typealias Compute = @Sendable (borrowing ReadView, FetchRequest<Novel>) throws -> [String]

    private static let computes: [Compute] = [
        { view, request in
            try view.fetch(request.sections(by: { $0.writer.origin.country })).map {
                "\($0.key) \($0.records.map(\.id))"
            }
        },
        { view, request in
            try view.fetch(request.grouped(by: { $0.editor.press.name }) { $0.pages.sum }).map {
                "\($0.key ?? "-") \($0.count) \($0.values)"
            }
        },
        { view, request in
            try view.fetch(request.fields { $0.editor.name }.distinct()).map { $0 ?? "-" }.sorted()
        },
        { view, request in
            try view.fetch(request.where { $0.writer.name == "n" }.order { $0.id.ascending }).map { "\($0.id)" }
        },
        { view, request in
            try view.fetch(request.order { $0.id.ascending }, with: \.editor).map {
                "\($0.id) \($1?.style.rawValue ?? "-")"
            }
        },
    ]

    private static func change(_ store: Store, _ random: inout TransactionRandom) throws {
        func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random) ?? values[0] }
        let (kind, writer, novel, press) = (pick(Array(0..<6)), pick([0, 1, 2]), pick([0, 1, 2, 3]), pick([0, 1, 2]))
        let (text, editor) = (pick(["", "n", "x"]), pick([nil, 0, 1, 2]))
        try store.write { tx in
            switch kind {
            case 0: try tx.update(Writer.self, id: writer) { $0.origin.country = text }
            case 1: try tx.update(Writer.self, id: writer) { $0.name = text }
            case 2: try tx.update(Writer.self, id: writer) { $0.style = text == "n" ? .prose : .verse }
            case 3: try tx.update(Press.self, id: press) { $0.name = text }
            case 4: try tx.update(Novel.self, id: novel) { $0.editor = editor.map { Reference($0) } }
            default: try tx.update(Novel.self, id: novel) { $0.writer = Reference(writer) }
            }
        }
    }

    @Test(arguments: computes.indices, 0..<4)
    func `a value follows what its requests read of other records`(number: Int, seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed &+ 11)
        let store = try ReferenceGroupingTests.Library(seed: seed).store()
        let compute = Self.computes[number]
        let request = FetchRequest(Novel.self)
        var values = store.values(of: request, compute).makeAsyncIterator()
        var last = try await values.next()?.value
        for _ in 0..<40 {
            try Self.change(store, &random)
            let now = try store.view { try compute($0, request) }
            if now == last { continue }
            // A missing notification makes this wait forever. An unnecessary one delivers nothing.
            last = try await values.next()?.value
            #expect(last == now)
        }
    }

    @Test func `of other records no more is noted than what requests read of them`() throws {
        let store = try ReferenceGroupingTests.Library(seed: 1).store()
        func noted(_ compute: Compute) throws -> [String] {
            try store.view { view in
                let reads = NotedReads()
                _ = try compute(ReadView(view, noting: reads), FetchRequest(Novel.self))
                let types = view._reading.catalog.types.map(\.type)
                return reads.all(besides: []).flatMap { read in
                    types.filter { $0.id == read.type }.flatMap { type in
                        read.fieldIndexes == .all
                            ? [type.name]
                            : type.fields.indices.filter { read.fieldIndexes.contains($0) }
                                .map { "\(type.name).\(type.fields[$0].name)" }
                    }
                }
            }
        }
        #expect(try Set(noted(Self.computes[0])) == ["Novel", "Writer.origin"])
        #expect(try Set(noted(Self.computes[1])) == ["Novel", "Writer.press", "Press.name"])
        #expect(try Set(noted(Self.computes[2])) == ["Novel", "Writer.name"])
        #expect(try Set(noted(Self.computes[3])) == ["Novel", "Writer.name"])
        #expect(try Set(noted(Self.computes[4])) == ["Novel", "Writer"])
        #expect(try Set(noted { view, request in ["\(try view.count(request))"] }) == ["Novel"])
        #expect(
            try Set(noted { view, request in ["\(try view.max(request, \.writer.id) ?? 0)"] }) == [
                "Novel", "Writer.id",
            ])
    }
}
