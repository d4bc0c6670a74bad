import Foundation
import ModelStore
import Testing

/// Walks a result in batches, with a cursor, and field by field.
@Suite struct StreamingTests {
    private func store() throws -> Store {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in
            for id in 1...10 {
                try tx.insert(
                    Heater(
                        id: id, room: "room", serial: "\(id)", celsius: Double(id), mode: .eco,
                        spot: HeaterSpot(city: "c\(id)", floor: id)))
            }
        }
        return store
    }

    @Test func `batches hold so many records, the last what is left`() throws {
        try store().read { tx in
            let all = FetchRequest(Heater.self).order { $0.id.ascending }
            var batches: [[Int]] = []
            try tx.forEach(all.batch(4)) {
                batches.append($0.map(\.id))
                return true
            }
            #expect(batches == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]])
            var calls = 0
            try tx.forEach(all.batch(5)) { _ in
                calls += 1
                return false
            }
            #expect(calls == 1)
            try tx.forEach(all.limit(0).batch(5)) { _ in
                Issue.record("an empty batch")
                return true
            }
            #expect(throws: StoreError.self) { try tx.forEach(all.batch(0)) { _ in true } }
        }
    }

    @Test func `a cursor hands out one record after the other`() throws {
        try store().read { tx in
            var heaters = try tx.cursor(Heater.where { $0.id > 7 }.order { $0.id.descending })
            var ids: [Int] = []
            while let heater = try heaters.next() { ids.append(heater.id) }
            #expect(ids == [10, 9, 8])
            #expect(try heaters.next() == nil)
        }
    }

    @Test func `a lazy row decodes the fields that are asked for`() throws {
        try store().read { tx in
            var found: [String] = []
            try tx.forEach(Heater.order { $0.id.ascending }.lazily()) { row in
                let celsius = try row.celsius
                if celsius == 4 {
                    let (mode, floor) = (try row.mode, try row.value { $0.spot.floor })
                    found.append("\(try row.spot.city) \(String(describing: mode)) \(String(describing: floor))")
                    #expect(try row.record().id == 4)
                }
                return celsius < 5
            }
            #expect(found == ["c4 Optional(ModelStoreTests.HeaterMode.eco) Optional(4)"])
        }
    }

    @Test(.enabled(if: Compiler.isAvailable))
    func `a lazy row cannot leave its closure`() throws {
        let program = { (body: String) in
            """
            @Record struct Kiln { @ID var id: Int; var celsius: Double }
            func test(_ store: Store) throws {
                try store.read { tx in
                    \(body)
                }
            }
            """
        }
        let use = "try tx.forEach(FetchRequest(Kiln.self).lazily()) { row in try row.celsius > 3 }"
        #expect(try Compiler.errorsOfLifetimes(in: program(use)) == [])
        let escape = """
            var last: LazyRow<Kiln>?
            try tx.forEach(FetchRequest(Kiln.self).lazily()) { row in last = copy row; return true }
            """
        #expect(
            try Compiler.errorsOfLifetimes(in: program(escape)) == [
                "lifetime-dependent variable 'last' escapes its scope"
            ])
    }
}
