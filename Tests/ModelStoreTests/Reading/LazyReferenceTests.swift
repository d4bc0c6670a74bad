import ModelStore
import Testing

/// A program and its successor, whose records have more fields.
private enum Earlier {
    @Record("Hall") struct Hall {
        @ID var id: Int
        var name: String
    }

    @Record("Probe") struct Probe {
        @ID var id: Int
        var hall: Reference<Earlier.Hall>
        var level: Int
    }
}

private enum Later {
    @Record("Hall") struct Hall: Equatable {
        @ID var id: Int
        var name: String
        var floor: Int = 7
    }

    @Record("Probe") struct Probe: Equatable {
        @ID var id: Int
        var hall: Reference<Later.Hall>
        var level: Int
        var note: String = "none"
    }
}

/// Rows that are read field by field, and the records that they refer to.
@Suite struct LazyReferenceTests {
    typealias Library = ReferenceGroupingTests.Library

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a lazy row gives what stands behind references`(seed: UInt64) throws {
        let library = Library(seed: seed)
        try library.store().read { tx in
            var found: [Novel] = []
            let request = Novel.where { $0.writer.origin.country != "" }.order { $0.editor.name.descending }
            try tx.forEach(request.lazily()) { row in
                let novel = try row.record()
                found.append(novel)
                let (writer, editor) = (library.writer(novel), library.editor(novel))
                #expect(try row.value { $0.writer.name } == writer.name)
                #expect(try row.value { $0.writer.style } == writer.style)
                #expect(try row.value { $0.writer.origin.region } == writer.origin.region)
                #expect(try row.value { $0.writer.press.name } == library.press(writer)?.name)
                #expect(try row.value { $0.editor.origin } == editor?.origin)
                #expect(try row.value { $0.editor.press.seat.country } == library.press(editor)?.seat?.country)
                #expect(try row.writer.id == writer.id)
                return true
            }
            #expect(try found == tx.fetch(request))
            #expect(!found.isEmpty)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the record that a lazy row refers to is read in the same way`(seed: UInt64) throws {
        let library = Library(seed: seed)
        try library.store().read { tx in
            try tx.forEach(FetchRequest(Novel.self).lazily()) { row in
                let novel = try row.record()
                let name = try row.following({ $0.writer }) { writer in
                    #expect(try writer.record() == library.writer(novel))
                    let press = try writer.following({ $0.press }) { try $0.name }
                    #expect(press == library.press(library.writer(novel))?.name)
                    #expect(try writer.value { $0.press.seat } == library.press(library.writer(novel))?.seat)
                    return try writer.name
                }
                #expect(name == .some(library.writer(novel).name))
                let editor = try row.following({ $0.editor }) { try $0.id }
                #expect(editor == novel.editor?.id)
                return true
            }
        }
    }

    @Test func `what leads nowhere is nil, or an error where it is never nil`() throws {
        let store = try Library(seed: 1).store()
        try store.write { try $0.insert(Novel(id: 99, writer: 0, source: 77)) }
        try store.read { tx in
            try tx.forEach(Novel.where { $0.id == 99 }.lazily()) { row in
                let source = try row.following({ $0.source }) { _ in true }
                let press = try row.value { $0.editor.press.name }
                #expect(source == nil && press == nil)
                do {
                    let name = try row.value { $0.source.name }
                    Issue.record("a press that is not there is called \(name)")
                } catch let error as StoreError {
                    #expect(error.code == .referenceBroken)
                }
                return true
            }
        }
    }

    @Test func `values that are read from lazy rows follow the records behind them`() async throws {
        let store = try Library(seed: 1).store()
        let names = store.values(of: Novel.where { $0.id < 3 }) { view, request in
            var names: [String?] = []
            try view.forEach(request.lazily()) { row in
                names.append(try row.value { $0.writer.name })
                return true
            }
            return names
        }
        var iterator = names.makeAsyncIterator()
        #expect(try await iterator.next()?.value.count == 3)
        try await store.write { tx in
            for id in 0..<5 { try tx.update(Writer.self, id: id) { $0.name = "new" } }
        }
        #expect(try await iterator.next()?.value == ["new", "new", "new"])
    }

    @Test(arguments: [0, 1, 2])
    func `values follow all records of a type that a closure reads, and their number`(way: Int) async throws {
        let store = try Library(seed: 1).store()
        let values = store.values(of: Novel.where { $0.id < 3 }) { view, _ in
            switch way {
            case 0: return try view.all(Writer.self).count
            case 1: return try view.count(Writer.self)
            default:
                var count = 0
                try view.forEach(Writer.self) { _ in
                    count += 1
                    return true
                }
                return count
            }
        }
        var iterator = values.makeAsyncIterator()
        let first = try #require(try await iterator.next()?.value)
        try await store.write { tx in
            var writer = try #require(try tx.get(Writer.self, id: 0))
            writer.id = 1_000
            try tx.insert(writer)
        }
        #expect(try await iterator.next()?.value == first + 1)
    }

    @Test func `records from before a field are followed as those behind it`() throws {
        let directory = try TestDirectory()
        let first = try Store(at: directory.path, records: Earlier.Hall.self, Earlier.Probe.self)
        try first.write { tx in
            try tx.insert(Earlier.Hall(id: 1, name: "old"))
            for id in 1...2 { try tx.insert(Earlier.Probe(id: id, hall: 1, level: id)) }
        }
        first.close()
        let store = try Store(at: directory.path, records: Later.Hall.self, Later.Probe.self)
        defer { store.close() }
        try store.write { tx in
            try tx.insert(Later.Hall(id: 2, name: "new", floor: 8))
            try tx.insert(Later.Probe(id: 3, hall: 2, level: 0))
        }
        var found: [Int: Later.Hall] = [:]
        try store.read { tx in
            try tx.forEach(Later.Probe.where { $0.hall.floor + $0.level > 7 }.lazily()) { row in
                found[try row.id] = try row.following({ $0.hall }) { hall in
                    let record = try hall.record()
                    #expect(try hall.floor == record.floor)
                    return record
                }
                let floor = try row.value { $0.hall.floor }
                #expect(try floor == found[row.id]?.floor)
                return true
            }
        }
        let old = Later.Hall(id: 1, name: "old")
        #expect(found == [1: old, 2: old, 3: Later.Hall(id: 2, name: "new", floor: 8)])
    }
}
