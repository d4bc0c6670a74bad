import ModelStore
import TestSupport
import Testing

/// An enum that does not conform to the store's field value protocol.
enum Pace: String { case slow, quick }

@Record struct Landing: Equatable {
    @ID var id: Int
    var name: String = ""
    var height: Double?
}

@Record struct Lift: Equatable {
    @ID var id: Int
    var name: String
    var nickname: String?
    var load: Int
    var limit: Int?
    var spare: Int?
    var pace: Pace
    var best: Pace
    @Reference(onDelete: .nullify) var floor: Reference<Landing>?
    @Reference(onDelete: .nullify) var next: Reference<Landing>?
}

/// Comparisons of two fields, one or both of which may be nil.
@Suite struct OptionalComparisonTests {
    private static let lifts: [Lift] = {
        var random = TestRandom(seed: 17)
        func number() -> Int { Int.random(in: 0...3, using: &random) }
        return (0..<300).map { id in
            Lift(
                id: id, name: "\(number())", nickname: number() == 0 ? nil : "\(number())", load: number(),
                limit: number() == 0 ? nil : number(), spare: number() == 0 ? nil : number(),
                pace: number() == 0 ? .slow : .quick, best: number() == 0 ? .slow : .quick,
                floor: number() == 0 ? nil : Reference(number()), next: number() == 0 ? nil : Reference(number()))
        }
    }()

    private let store: Store

    init() throws {
        store = try Store.temporary(records: Landing.self, Lift.self)
        try store.write { tx in
            for id in 0...3 { try tx.insert(Landing(id: id, name: "\(id)", height: id == 1 ? nil : Double(id))) }
            for lift in Self.lifts { try tx.insert(lift) }
        }
    }

    /// Returns whether both values are present and the left one is less, for which Swift has no operator.
    private static func precedes<V: Comparable>(_ left: V?, _ right: V?) -> Bool {
        guard let left, let right else { return false }
        return left < right
    }

    @Test func `they say what Swift says of two optionals, and nil has no order`() throws {
        typealias Fields = Lift.Fields
        let table: [(condition: (Fields) -> Condition<Lift>, holds: (Lift) -> Bool)] = [
            ({ $0.limit == $0.load }, { $0.limit == $0.load }), ({ $0.load == $0.limit }, { $0.load == $0.limit }),
            ({ $0.limit != $0.load }, { $0.limit != $0.load }), ({ $0.load != $0.limit }, { $0.load != $0.limit }),
            ({ $0.limit == $0.spare }, { $0.limit == $0.spare }),
            ({ $0.limit != $0.spare }, { $0.limit != $0.spare }),
            ({ $0.nickname == $0.name }, { $0.nickname == $0.name }),
            ({ $0.limit < $0.load }, { Self.precedes($0.limit, $0.load) }),
            ({ $0.load < $0.limit }, { Self.precedes($0.load, $0.limit) }),
            ({ $0.limit > $0.spare }, { Self.precedes($0.spare, $0.limit) }),
            (
                { $0.limit <= $0.spare },
                { Self.precedes($0.limit, $0.spare) || $0.limit == $0.spare && $0.limit != nil }
            ),
            (
                { $0.nickname >= $0.name }, { Self.precedes($0.name, $0.nickname) || $0.nickname == $0.name }
            ),
            ({ $0.pace == $0.best }, { $0.pace == $0.best }), ({ $0.pace != $0.best }, { $0.pace != $0.best }),
            ({ $0.floor == $0.next }, { $0.floor == $0.next }), ({ $0.floor != $0.next }, { $0.floor != $0.next }),
        ]
        for (number, (condition, holds)) in table.enumerated() {
            let found = try store.read { try $0.fetch(Lift.where(condition).order { $0.id.ascending }) }
            let expected = Self.lifts.filter(holds)
            #expect(found == expected, "condition \(number)")
            #expect(!expected.isEmpty && expected.count < Self.lifts.count, "condition \(number)")
        }
    }

    @Test func `what stands behind an optional reference is compared with a field of the record itself`() throws {
        let table: [(condition: (Lift.Fields) -> Condition<Lift>, holds: (Lift) -> Bool)] = [
            ({ $0.floor.name == $0.name }, { $0.floor.map { "\($0.id)" } == $0.name }),
            ({ $0.floor.name != $0.nickname }, { $0.floor.map { "\($0.id)" } != $0.nickname }),
            ({ $0.floor.id > $0.load }, { Self.precedes($0.load, $0.floor?.id) }),
            ({ $0.floor.id == $0.next.id }, { $0.floor?.id == $0.next?.id }),
        ]
        for (number, (condition, holds)) in table.enumerated() {
            let found = try store.read { try $0.fetch(Lift.where(condition).order { $0.id.ascending }) }
            let expected = Self.lifts.filter(holds)
            #expect(found == expected, "condition \(number)")
            #expect(!expected.isEmpty && expected.count < Self.lifts.count, "condition \(number)")
        }
    }
}
