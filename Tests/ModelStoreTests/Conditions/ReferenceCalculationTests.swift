import ModelStore
import StoreEngine
import Testing

/// Comparisons and calculations with fields of different records.
@Suite struct ReferenceCalculationTests {
    @Record struct Estate: Equatable {
        @ID var id: Int
        var floors: Int
    }

    @Record struct Chamber: Equatable {
        @ID var id: Int
        var floor: Int
        var capacity: Int?
        var name: String = ""
        var estate: Reference<Estate>
    }

    @Record struct Thermometer: Equatable {
        @ID var id: Int
        var level: Int
        var weight: Double = 0
        @Reference(onDelete: .nullify) var chamber: Reference<Chamber>?
        @Reference(onDelete: .none) var spare: Reference<Chamber>
    }

    private let all = FetchRequest(Thermometer.self)

    private func store() throws -> Store {
        let store = try Store.temporary(records: Estate.self, Chamber.self, Thermometer.self)
        try store.write { tx in
            try tx.insert(Estate(id: 1, floors: 3))
            try tx.insert(Estate(id: 2, floors: 9))
            try tx.insert(Chamber(id: 1, floor: 1, capacity: 5, estate: 1))
            try tx.insert(Chamber(id: 2, floor: 2, capacity: 9, estate: 2))
            try tx.insert(Chamber(id: 3, floor: 3, capacity: nil, estate: 1))
            for (id, chamber) in [1, 2, 3, nil].enumerated() {
                let level = [2, 2, 1, 4][id]
                try tx.insert(
                    Thermometer(
                        id: id + 1, level: level, weight: Double(id) + 0.5, chamber: chamber.map { Reference($0) },
                        spare: Reference(id == 3 ? 99 : 1)))
            }
        }
        return store
    }

    private func ids(_ request: FetchRequest<Thermometer>, _ store: Store) throws -> [Int] {
        try store.read { tx in
            let found = try tx.fetch(request).map(\.id)
            #expect(try tx.count(request) == found.count)
            return found.sorted()
        }
    }

    @Test func `a record's own fields are calculated with those of others, of one further away, and of several`() throws
    {
        let store = try store()
        #expect(try ids(Thermometer.where { $0.chamber.floor + $0.level > 3 }, store) == [2, 3])
        #expect(try ids(Thermometer.where { $0.chamber.capacity - $0.chamber.estate.floors >= 2 }, store) == [1])
        #expect(try ids(Thermometer.where { $0.chamber.estate.floors * 2 < $0.level + $0.spare.floor }, store) == [])
        #expect(try ids(Thermometer.where { $0.chamber.estate.floors == $0.level + $0.spare.floor }, store) == [1, 4])
        #expect(try ids(Thermometer.where { $0.weight * 2 < $0.chamber.floor + 2 }, store) == [1, 2])
        try store.read { tx in
            let found = try tx.count(Thermometer.where { !($0.chamber.floor + $0.level > 3) && $0.id < 4 })
            #expect(found == 1)
        }
    }

    @Test func `a field is compared with one of another record`() throws {
        let store = try store()
        #expect(try ids(Thermometer.where { $0.spare.floor == $0.level }, store) == [3])
        #expect(try ids(Thermometer.where { $0.spare.floor < $0.level }, store) == [1, 2])
        #expect(try ids(Thermometer.where { $0.spare.floor != $0.level }, store) == [1, 2, 4])
        #expect(try ids(Thermometer.where { $0.chamber.floor == $0.chamber.estate.floors }, store) == [3, 4])
    }

    @Test func `without a record on the way a calculation is nil`() throws {
        let store = try store()
        // The fourth thermometer has no chamber, its spare chamber does not exist, and the third chamber has no capacity.
        #expect(try ids(Thermometer.where { $0.chamber.capacity + $0.level != 7 }, store) == [2, 3, 4])
        #expect(try ids(Thermometer.where { $0.spare.floor + $0.level < 100 }, store) == [1, 2, 3])
        #expect(try ids(Thermometer.where { !($0.spare.floor + $0.level < 100) }, store) == [4])
        // If both sides are nil, they are equal.
        #expect(
            try ids(Thermometer.where { $0.spare.floor + $0.level == $0.chamber.floor - $0.level }, store) == [3, 4])
    }

    @Test func `such conditions go with orders, limits, rows, groups and aggregates`() throws {
        let store = try store()
        let warm = Thermometer.where { $0.chamber.floor + $0.level > 2 }
        #expect(try ids(warm.order { $0.chamber.estate.floors.descending }.limit(2), store) == [2, 3])
        try store.read { tx in
            let rows = try tx.fetch(warm.order { $0.id.ascending }.fields { ($0.id, $0.chamber.floor) })
            #expect(rows.map(\.0) == [1, 2, 3] && rows.map(\.1) == [1, 2, 3])
            #expect(try tx.sum(warm, \.level) == 5)
            #expect(try tx.max(warm, \.chamber.floor) == 3)
            let groups = try tx.fetch(warm.grouped(by: { $0.chamber.estate.floors }) { $0.level.sum })
            #expect(groups.map(\.key) == [3, 9])
            #expect(try tx.exists(warm.where { $0.id == 3 }))
            let plan = try tx.explain(Thermometer.where { $0.id == 3 && $0.chamber.floor + $0.level > 2 })
            #expect("\(plan)".contains("looked at 1, found 1"), "only what the rest leaves is looked at: \(plan)")
        }
    }

    @Test func `a live query follows the records that its calculations read`() async throws {
        let store = try store()
        let request = Thermometer.where { $0.chamber.floor + $0.level > 3 }.order { $0.id.ascending }
        var updates = store.updates(of: request).makeAsyncIterator()
        #expect(try await updates.next()?.results.map(\.id) == [2, 3])
        try await store.write { try $0.update(Chamber.self, id: 1) { $0.floor = 8 } }
        #expect(try await updates.next()?.results.map(\.id) == [1, 2, 3])
        try await store.write { try $0.update(Thermometer.self, id: 2) { $0.level = -1 } }
        #expect(try await updates.next()?.results.map(\.id) == [1, 3])
        try await store.write { try $0.delete(Chamber.self, id: 3) }
        #expect(try await updates.next()?.results.map(\.id) == [1])
    }

    @Test func `what cannot be compared or calculated with says so by its path`() throws {
        let store = try store()
        try store.read { tx throws in
            var request = Request()
            request.condition = .fieldComparison(FieldName("chamber.name"), .equal, FieldName("level"))
            let typeIndex = try tx._reading.catalog.requireTypeIndex(named: "Thermometer")
            let error = #expect(throws: StoreError.self) { try tx._reading.count(request, typeIndex: typeIndex) }
            #expect(error?.code == .invalidValue)
            #expect(
                error?.message.contains("Thermometer.chamber.name is string, but level is int64") == true, "\(error!)")
            request.condition = .arithmetic(.field(FieldName("chamber.name")), .less, .field(FieldName("level")))
            let other = #expect(throws: StoreError.self) { try tx._reading.count(request, typeIndex: typeIndex) }
            #expect(other?.message.contains("chamber.name, of type string, cannot be part of a calculation") == true)
        }
    }
}
