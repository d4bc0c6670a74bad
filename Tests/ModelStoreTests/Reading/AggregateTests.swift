import ModelStore
import Testing

@Record struct Yard {
    @ID var id: Int
    var height: Int = 0
    var depth: Int?
}

@Record struct Load {
    @ID var id: Int
    var small: Int8
    var large: Int
    var spare: Int?
    var part: Double?
    @Reference(onDelete: .none) var yard: Reference<Yard>
}

/// Aggregates over all records of a request.
@Suite struct AggregateTests {
    private let all = FetchRequest(Load.self)

    private func store() throws -> Store {
        let store = try Store.temporary(records: Load.self, Yard.self)
        try store.write { tx in
            try tx.insert(Yard(id: 1))
            try tx.insert(Load(id: 1, small: 100, large: .max, spare: nil, part: 0.5, yard: 1))
            try tx.insert(Load(id: 2, small: 100, large: .max, spare: 4, part: nil, yard: 1))
            try tx.insert(Load(id: 3, small: -100, large: .min, spare: -1, part: 1, yard: 1))
            try tx.insert(Load(id: 4, small: -99, large: .min, spare: nil, part: nil, yard: 1))
        }
        return store
    }

    @Test func `a sum that fits is found, whatever the sums on the way to it are`() throws {
        try store().read { tx throws in
            #expect(try tx.sum(all, \.small) == 1)
            #expect(try tx.sum(all, \.large) == -2)
            #expect(try tx.average(all, \.large) == -0.5)
            let failure = #expect(throws: StoreError.self) { try tx.sum(Load.where { $0.large > 0 }, \.large) }
            #expect(failure?.code == .tooLarge)
            #expect(
                failure?.remedy == "narrow the request's condition, or give the field a type with a wider range")
        }
    }

    @Test func `sums of narrow integers have 64 bits`() throws {
        try store().read { tx throws in
            let sum: Int = try tx.sum(Load.where { $0.small > 0 }, \.small)
            #expect(sum == 200)
            let groups = try tx.fetch(Load.where { $0.small > 0 }.grouped(by: { $0.yard.id }) { $0.small.sum })
            #expect(groups.map(\.values) == [200])
        }
    }

    @Test func `nil counts for nothing in sums and means`() throws {
        try store().read { tx throws in
            #expect(try tx.sum(all, \.spare) == 3)
            #expect(try tx.average(all, \.spare) == 1.5)
            #expect(try tx.sum(all, \.part) == 1.5)
            #expect(try tx.average(all, \.part) == 0.75)
            #expect(try tx.sum(Load.where { $0.id > 9 }, \.spare) == 0)
            #expect(try tx.average(Load.where { $0.spare == nil }, \.spare) == nil)
        }
    }

    @Test func `the extremes of a field that may be nil are values or nil, and no optional in another`() throws {
        try store().read { tx throws in
            let least: Int? = try tx.min(all, \.spare)
            #expect(least == -1)
            let found = try tx.max(all, \.part)
            #expect(type(of: found) == Double?.self && found == 1)
            #expect(try tx.max(all.order { $0.id.ascending }.limit(1), \.spare) == nil)
            #expect(try tx.min(Load.where { $0.id > 9 }, \.spare) == nil)
            #expect(try tx.max(all.limit(3), \.spare) == 4)
        }
    }

    @Test func `fields of another record are calculated with`() throws {
        let store = try store()
        try store.write { tx in
            try tx.insert(Yard(id: 2, height: 7, depth: 3))
            try tx.insert(Load(id: 5, small: 0, large: 0, spare: nil, part: nil, yard: 2))
            try tx.insert(Load(id: 6, small: 0, large: 0, spare: nil, part: nil, yard: 99))
        }
        func ids(_ request: FetchRequest<Load>) throws -> [Int] {
            try store.read { try $0.fetch(request) }.map(\.id).sorted()
        }
        #expect(try ids(Load.where { $0.yard.height * 2 > $0.yard.depth + 10 }) == [5])
        #expect(try ids(Load.where { $0.yard.height + 1 == 1 }) == [1, 2, 3, 4])
        // A missing yard or a yard without a depth makes the calculation nil.
        #expect(try ids(Load.where { $0.yard.depth - 1 != 2 }) == [1, 2, 3, 4, 6])
    }

    @Test func `aggregates are of what other records hold too, of which one that is not there counts for nothing`()
        throws
    {
        let store = try store()
        try store.write { tx in
            try tx.insert(Yard(id: 2, height: 7, depth: 3))
            try tx.insert(Yard(id: 3, height: -2))
            for (id, yard) in [(5, 2), (6, 2), (7, 3), (8, 99)] {
                try tx.insert(Load(id: id, small: Int8(id % 2), large: 0, spare: nil, part: nil, yard: Reference(yard)))
            }
        }
        let late = Load.where { $0.id > 4 }
        try store.read { tx throws in
            #expect(try tx.sum(late, \.yard.height) == 12)
            #expect(try tx.average(late, \.yard.height) == 4)
            #expect(try tx.min(late, \.yard.height) == -2)
            #expect(try tx.max(late, \.yard.height) == 7)
            #expect(try tx.max(late.order { $0.id.descending }.limit(2), \.yard.height) == -2)
            #expect(try tx.min(late, \.yard.depth) == 3)
            #expect(try tx.max(Load.where { $0.id == 8 }, \.yard.height) == nil)
            #expect(try tx.max(Load.where { $0.id == 7 }, \.yard.depth) == nil)
            let groups = try tx.fetch(
                late.grouped(by: { $0.small }) { ($0.yard.height.sum, $0.yard.depth.max, $0.yard.height.average) })
            #expect(groups.map(\.key) == [0, 1] && groups.map(\.count) == [2, 2])
            #expect(groups.map(\.values.0) == [7, 5] && groups.map(\.values.1) == [3, 3])
            #expect(groups.map(\.values.2) == [7, 2.5])
        }
    }
}
