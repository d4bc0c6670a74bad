import Foundation
import ModelStore
import Testing

@Embedded struct Shelf: Equatable {
    var floor: Int
    var label: String?
}

/// A record with numbers of several types, and collections.
@Record struct Depot: Equatable {
    @ID var id: Int
    var used: Int64
    var total: Int64
    var small: Int8
    var spare: Int64?
    var load: Double
    var rate: Float = 0.1
    var tags: [String] = []
    var shelves: [Shelf] = []
    var marks: Set<Int>?
}

@Record struct Gauge {
    @ID var id: Int
    var level: Float
}

/// Calculations in conditions, and conditions on elements.
@Suite struct CalculationTests {
    private static let depots: [Depot] = [
        Depot(
            id: 1, used: 95, total: 100, small: 100, spare: 5, load: 0.5, tags: ["xa", "b"],
            shelves: [Shelf(floor: 1), Shelf(floor: 3, label: "top")], marks: [1, 2]),
        Depot(id: 2, used: .max, total: .max, small: -128, load: 2, tags: ["b"], shelves: [Shelf(floor: 0)]),
        Depot(id: 3, used: 10, total: 0, small: 3, spare: 0, load: .nan, marks: []),
    ]

    private func ids(_ condition: (Depot.Fields) -> Condition<Depot>) throws -> [Int] {
        let store = try Store.temporary(records: Depot.self)
        try store.write { tx in for depot in Self.depots { try tx.insert(depot) } }
        return try store.read { try $0.fetch(Depot.where(condition).order { $0.id.ascending }).map(\.id) }
    }

    @Test func `numbers are put together and compared`() throws {
        #expect(try ids { $0.used * 100 > $0.total * 90 } == [1, 2, 3])
        #expect(try ids { $0.used + $0.total == 195 } == [1])
        #expect(try ids { $0.total - $0.used >= $0.spare } == [1])
        #expect(try ids { $0.used == $0.total } == [2])
        #expect(try ids { $0.used < $0.total + 1 } == [1, 2])
        #expect(try ids { $0.used % 10 == 5 } == [1])
        #expect(try ids { 200 - $0.used < 110 } == [1, 2])
        #expect(try ids { ($0.used + 5) * 2 == 200 && $0.id > 0 } == [1])
        #expect(try ids { $0.load * 2 == 1 } == [1])
        #expect(try ids { $0.rate * 3 == Float(0.1) * 3 } == [1, 2, 3])
        #expect(try ids { $0.id * $0.load + 0.5 == 1 } == [1])
        #expect(try ids { $0.small * $0.used > 9_000 } == [1])
    }

    @Test func `products do not overflow, and what has no result is nil`() throws {
        #expect(try ids { $0.used * $0.total > $0.used } == [1, 2])
        #expect(try ids { $0.small + $0.small > 100 } == [1])
        #expect(try ids { $0.small + $0.small < -200 } == [2])
        // Cases: a division by zero, and a field that is nil.
        #expect(try ids { $0.used / $0.total >= 0 } == [1, 2])
        #expect(try ids { $0.used % $0.total != 0 } == [1, 3])
        #expect(try ids { !($0.used / $0.total >= 0) } == [3])
        #expect(try ids { $0.spare + 1 > 0 } == [1, 3])
        // The product exceeds 128 bits.
        #expect(try ids { $0.used * $0.used * $0.used > 0 } == [1, 3])
        // Floating-point numbers follow IEEE 754; NaN is greater than all others.
        #expect(try ids { $0.load / 0 > 1e300 } == [1, 2, 3])
    }

    @Test func `integers that floats are calculated with are rounded to floats`() throws {
        let store = try Store.temporary(records: Gauge.self)
        try store.write { tx in try tx.insert(Gauge(id: 1, level: 16_777_216)) }
        try store.read { tx throws in
            #expect(try tx.count(Gauge.where { $0.level * 1 == 16_777_217 }) == 1)
            #expect(try tx.count(Gauge.where { $0.level + 16_777_217 == 33_554_432 }) == 1)
            #expect(try tx.count(Gauge.where { $0.level * 1.0 == 16_777_217 }) == 0)
        }
    }

    @Test func `chains that are too deep are refused`() throws {
        let failure = #expect(throws: StoreError.self) {
            try ids { depot in (0..<2_000).reduce(depot.used + 1) { sum, number in sum + Int64(number) } > 0 }
        }
        #expect(failure?.code == .tooLarge)
    }

    @Test func `conditions on elements`() throws {
        #expect(try ids { $0.tags.any { $0.hasPrefix("x") } } == [1])
        #expect(try ids { $0.tags.all { $0 == "b" } } == [2, 3])
        #expect(try ids { !$0.tags.any { $0 == "b" } } == [3])
        #expect(try ids { $0.shelves.any { $0.floor > 2 && $0.label != nil } } == [1])
        #expect(try ids { $0.shelves.any { $0.label.hasPrefix("t") } } == [1])
        #expect(try ids { $0.shelves.all { $0.floor < 3 } } == [2, 3])
        #expect(try ids { $0.shelves.any { $0.floor * 2 == 6 } } == [1])
        // If the collection is nil, both `any` and `all` are false.
        #expect(try ids { $0.marks.any { $0.in(2...9) } } == [1])
        #expect(try ids { $0.marks.all { $0 > 0 } } == [1, 3])
        let explained = Depot.where { $0.shelves.any { $0.floor > 2 } || $0.tags.all { $0 == "b" } || $0.used * 2 > 5 }
        let store = try Store.temporary(records: Depot.self)
        let plan = try store.read { try $0.explain(explained) }
        #expect(plan.contains("\ntest each record: shelves any (floor > 2) || tags all (it == \"b\") || used * 2 > 5:"))
    }
}
