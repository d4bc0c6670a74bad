import ModelStore
import StoreEngine
import Testing

@Embedded struct Origin: Equatable {
    var country: String
    var region: String?
}

enum WritingStyle: String {
    case prose, verse
}

@Record struct Press: Equatable {
    @ID var id: Int
    var name: String = ""
    var seat: Origin?
}

@Record struct Writer: Equatable {
    @ID var id: Int
    var origin: Origin
    var name: String?
    var style: WritingStyle
    @Reference(onDelete: .nullify) var press: Reference<Press>?
}

@Record struct Novel: Equatable {
    @ID var id: Int
    var writer: Reference<Writer>
    @Reference(onDelete: .nullify) var editor: Reference<Writer>?
    @Reference(onDelete: .none) var source: Reference<Press>
    var pages: Int = 0
}

/// Groups, sections and rows by fields of referenced records, compared with the same results computed from all records in Swift.
@Suite struct ReferenceGroupingTests {
    struct Library {
        private(set) var presses: [Press] = []
        private(set) var writers: [Writer] = []
        private(set) var novels: [Novel] = []

        init(seed: UInt64) {
            var random = TransactionRandom(seed: seed)
            func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random) ?? values[0] }
            for id in 0..<3 {
                presses.append(
                    Press(
                        id: id, name: pick(["", "A", "B"]),
                        seat: pick([nil, Origin(country: "x", region: pick([nil, "r"])), Origin(country: "y")])))
            }
            for id in 0..<5 {
                writers.append(
                    Writer(
                        id: id, origin: Origin(country: pick(["", "x", "y"]), region: pick([nil, "", "r"])),
                        name: pick([nil, "", "n"]), style: pick([.prose, .verse]), press: pick([nil, 0, 1, 2])))
            }
            for id in 0..<12 {
                novels.append(
                    Novel(
                        id: id, writer: Reference(pick([0, 1, 2, 3, 4])), editor: pick([nil, 0, 1, 2]),
                        source: Reference(pick([0, 1, 2])), pages: pick([1, 2])))
            }
        }

        func store() throws -> Store {
            let store = try Store.temporary(records: Press.self, Writer.self, Novel.self)
            let library = self
            try store.write { tx in
                for press in library.presses { try tx.insert(press) }
                for writer in library.writers { try tx.insert(writer) }
                for novel in library.novels { try tx.insert(novel) }
            }
            return store
        }

        func writer(_ novel: Novel) -> Writer { writers[novel.writer.id] }
        func editor(_ novel: Novel) -> Writer? { novel.editor.map { writers[$0.id] } }
        func press(_ writer: Writer?) -> Press? { writer?.press.map { presses[$0.id] } }
    }

    /// Compares the groups, the sections and the distinct rows by a field with those computed from all records.
    private func check<Key: Hashable & Sendable>(
        _ library: Library, _ store: Store, _ field: (Novel.Fields) -> Field<Novel, Key>, _ key: (Novel) -> Key
    ) throws {
        let expected = Dictionary(grouping: library.novels) { key($0) }.mapValues { $0.map(\.id) }
        let all = FetchRequest(Novel.self)
        try store.read { tx throws in
            let groups = try tx.fetch(all.grouped(by: field) { $0.pages.sum })
            #expect(Set(groups.map(\.key)) == Set(expected.keys) && groups.count == expected.count)
            for group in groups {
                #expect(group.count == expected[group.key]?.count)
                #expect(group.values == expected[group.key]?.map { library.novels[$0].pages }.reduce(0, +))
            }
            let sections = try tx.fetch(all.order { $0.id.descending }.sections(by: field))
            #expect(sections.map(\.key) == groups.map(\.key))
            for section in sections { #expect(section.records.map(\.id) == expected[section.key]?.reversed()) }
            let rows = try tx.fetch(all.fields(field).distinct())
            #expect(Set(rows) == Set(expected.keys) && rows.count == expected.count)
            #expect(try tx.count(all.fields(field).distinct()) == expected.count)
            let each = try tx.fetch(all.order { $0.id.ascending }.fields(field))
            #expect(each == library.novels.map(key))
            let page = try tx.page(all.order { $0.id.ascending }.fields(field).limit(5))
            #expect(page.rows == library.novels.prefix(5).map(key))
        }
    }

    @Test(arguments: 0..<8) func `groups, sections and rows by what another record holds`(seed: UInt64) throws {
        let library = Library(seed: seed)
        let store = try library.store()
        try check(library, store, { $0.writer.origin.country }) { library.writer($0).origin.country }
        try check(library, store, { $0.writer.origin.region }) { library.writer($0).origin.region }
        try check(library, store, { $0.writer.name }) { library.writer($0).name }
        try check(library, store, { $0.writer.id }) { $0.writer.id }
        try check(library, store, { $0.editor.name }) { library.editor($0)?.name }
        try check(library, store, { $0.editor.id }) { $0.editor?.id }
        try check(library, store, { $0.editor.origin.country }) { library.editor($0)?.origin.country }
        try check(library, store, { $0.editor.origin.region }) { library.editor($0)?.origin.region }
        try check(library, store, { $0.editor.press.name }) { library.press(library.editor($0))?.name }
        try check(library, store, { $0.writer.press.seat.country }) { library.press(library.writer($0))?.seat?.country }
        try check(library, store, { $0.writer.press.seat.region }) { library.press(library.writer($0))?.seat?.region }
        try check(library, store, { $0.writer.press }) { library.writer($0).press }
    }

    @Test func `enums, whole structs and several fields at once are rows too`() throws {
        let library = Library(seed: 3)
        let all = FetchRequest(Novel.self).order { $0.id.ascending }
        try library.store().read { tx throws in
            let rows = try tx.fetch(all.fields { ($0.editor.style, $0.id, $0.writer.origin, $0.writer.press.seat) })
            for (row, novel) in zip(rows, library.novels) {
                #expect(row.0 == library.editor(novel)?.style && row.1 == novel.id)
                #expect(row.2 == library.writer(novel).origin)
                #expect(row.3 == library.press(library.writer(novel))?.seat)
            }
            let groups = try tx.fetch(all.grouped(by: { ($0.writer.style, $0.pages) }))
            #expect(groups.map(\.count).reduce(0, +) == 12)
            for group in groups {
                let same = library.novels.filter { library.writer($0).style == group.key.0 && $0.pages == group.key.1 }
                #expect(group.count == same.count)
            }
        }
    }

    @Test func `the order of a request gives groups and sections their direction`() throws {
        let library = Library(seed: 5)
        let request = FetchRequest(Novel.self).order { [$0.writer.name.descending, $0.id.ascending] }
        try library.store().read { tx throws in
            let descending = try tx.fetch(request.grouped(by: { $0.writer.name })).map(\.key)
            let ascending = try tx.fetch(FetchRequest(Novel.self).grouped(by: { $0.writer.name })).map(\.key)
            #expect(descending == ascending.reversed() && ascending.count > 1)
            #expect(try tx.fetch(request.sections(by: { $0.writer.name })).map(\.key) == descending)
        }
    }

    @Test func `a reference that leads nowhere is nil where the field may be, and an error where it may not`() throws {
        let store = try Library(seed: 1).store()
        try store.write { tx in
            try tx.insert(Novel(id: 99, writer: 0, source: 77))
        }
        let (all, lost) = (FetchRequest(Novel.self), Novel.where { $0.id == 99 })
        try store.read { tx throws in
            #expect(try tx.fetch(lost.sections(by: { $0.source.seat.country })).map(\.key) == [nil])
            let errors = [
                #expect(throws: StoreError.self) { try tx.fetch(all.grouped(by: { $0.source.name })) },
                #expect(throws: StoreError.self) { try tx.fetch(all.sections(by: { $0.source.name })) },
                #expect(throws: StoreError.self) { try tx.fetch(lost.fields { $0.source.name }) },
            ]
            for error in errors {
                #expect(error?.code == .referenceBroken)
                #expect(error?.message.contains("Novel.source.name") == true)
            }
            let known = Novel.where { $0.source.name >= "" }
            #expect(try tx.fetch(known.grouped(by: { $0.source.name })).map(\.count).reduce(0, +) == 12)
        }
    }
}
