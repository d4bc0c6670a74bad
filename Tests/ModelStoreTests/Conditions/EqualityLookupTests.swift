import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Versions of a type that gains and loses indexes.
private enum Bookings {
    @Record("Booking")
    struct Plain: Equatable {
        @ID var id: Int
        var room: Int
        var day: Int?
        var guest: String
    }

    @Record("Booking")
    @Index("room", "day")
    struct Compound: Equatable {
        @ID var id: Int
        var room: Int
        var day: Int?
        var guest: String
    }

    @Record("Booking")
    @Index("day", "guest", "room")
    struct Several: Equatable {
        @ID var id: Int
        @Indexed var room: Int
        @Indexed var day: Int?
        @Indexed var guest: String
    }
}

/// A booking of any version.
private protocol Booking: Record {
    var id: Int { get }
    var room: Int { get }
    var day: Int? { get }
    var guest: String { get }
}

extension Booking {
    /// The values in field order.
    var values: [DynamicValue] {
        [.int(Int64(id)), .int(Int64(room)), day.map { .int(Int64($0)) } ?? .none, .string(guest)]
    }

    /// Returns the rows of a typed request.
    static func fetch(
        _ request: Request, _ tx: borrowing some ReadableTransaction & ~Copyable
    ) throws -> [[DynamicValue]] {
        var typed = FetchRequest<Self>()
        typed.request = request
        return try tx.fetch(typed).map(\.values)
    }
}

extension Bookings.Plain: Booking {}
extension Bookings.Compound: Booking {}
extension Bookings.Several: Booking {}

/// Requests with equality conditions only. The store answers them without the planner if few records match.
@Suite struct EqualityLookupTests {
    private static let seed = TestLength.repeatedSeed ?? 1
    private static let guests = [
        "", "a", "b", String(repeating: "long", count: 70), String(repeating: "long", count: 90),
    ]

    /// Returns values of which some occur in many records and others in few or none.
    private static func values(_ random: inout TestRandom) -> [String: DynamicValue] {
        let isCommon = Bool.random(using: &random)
        return [
            "id": .int(.random(in: 0..<200, using: &random)),
            "room": .int(isCommon ? 0 : .random(in: 0..<40, using: &random)),
            "day": isCommon ? .int(0) : random.chance(20) ? .none : .int(.random(in: 0..<30, using: &random)),
            "guest": .string(guests.randomElement(using: &random) ?? ""),
        ]
    }

    private static func request(_ random: inout TestRandom) -> Request {
        let values = values(&random)
        let names = values.keys.sorted().shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
        let terms = names.map { ConditionNode.comparison(FieldName([$0]), .equal, values[$0] ?? .none) }
        var request = Request()
        request.condition = terms.count == 1 ? terms[0] : .and(terms)
        for name in ["id", "day", "room", "guest"].shuffled(using: &random)
            .prefix(.random(in: 0...2, using: &random))
        {
            request.order.append(SortTerm(FieldName([name]), isDescending: .random(using: &random)))
        }
        if random.chance(40) { request.limit = [0, 1, 5, 40].randomElement(using: &random) }
        if random.chance(20) { request.offset = [1, 5, 40].randomElement(using: &random) ?? 0 }
        return request
    }

    private static func change(_ store: Store, _ random: inout TestRandom, count: Int) throws {
        let type = try store.read { try $0._reading.catalog.requireTypeIndex(named: "Booking") }
        let records = (0..<count).map { _ in values(&random) }
        try store.write { tx in
            for values in records {
                let id = values["id"] ?? .none
                if case .int(let number) = id, number % 7 == 0 {
                    _ = try tx.delete(dynamicID: [id], typeIndex: type)
                } else {
                    let fields = tx._reading.catalog.types[type].type.fields
                    let record = DynamicRecord(values: fields.map { values[$0.name] ?? .none })
                    _ = try tx.put(record, typeIndex: type, mode: .upsert)
                }
            }
        }
    }

    /// Checks the rows of a request through the chosen path, through a walk over all records and through the typed interface, and
    /// its count.
    private static func check(_ store: Store, _ age: any Booking.Type, _ request: Request, _ place: String) throws {
        try store.read { tx in
            let reading = tx._reading
            let type = try reading.catalog.requireTypeIndex(named: "Booking")
            func rows(_ request: Request, by path: Plan.Path?) throws -> [[DynamicValue]] {
                var rows: [[DynamicValue]] = []
                try reading.fetchDynamic(request, typeIndex: type, by: path) {
                    rows.append($0.values)
                    return true
                }
                return rows
            }
            let expected = try rows(request, by: .records)
            let found = try rows(request, by: nil)
            #expect(try age.fetch(request, tx) == found, "\(place): \(request)")
            if request.order.isEmpty {
                // The rows may be any of the matching records, each once.
                var unlimited = request
                (unlimited.limit, unlimited.offset) = (nil, 0)
                let all = Set(try rows(unlimited, by: .records))
                #expect(found.count == expected.count && Set(found).count == found.count, "\(place): \(request)")
                #expect(all.isSuperset(of: found), "\(place): \(request)")
            } else {
                #expect(found == expected, "\(place): \(request)")
            }
            #expect(try reading.count(request, typeIndex: type) == expected.count, "\(place): \(request)")
        }
    }

    @Test func `they give what a walk over all records gives, whatever indexes and records come and go`() throws {
        let directory = try TestDirectory()
        var random = TestRandom(seed: Self.seed)
        let ages: [any Booking.Type] = [
            Bookings.Plain.self, Bookings.Compound.self, Bookings.Several.self, Bookings.Plain.self,
            Bookings.Several.self,
        ]
        for (number, age) in ages.enumerated() {
            let store = try Store(at: directory.path, records: [age])
            for round in 0..<6 {
                try Self.change(store, &random, count: 60)
                for _ in 0..<100 {
                    try Self.check(
                        store, age, Self.request(&random), "seed \(Self.seed), age \(number), round \(round)")
                }
            }
            store.close()
        }
    }

    @Test func `a write transaction finds by them what it has just written`() throws {
        let store = try Store.temporary(records: Bookings.Several.self)
        try store.write { tx in
            for id in 1...40 { try tx.insert(Bookings.Several(id: id, room: id % 4, day: id % 3, guest: "a")) }
            let request = Bookings.Several.where { $0.room == 2 }.order { $0.id.descending }
            #expect(try tx.fetch(request.limit(3)).map(\.id) == [38, 34, 30])
            _ = try tx.delete(Bookings.Several.self, id: 34)
            #expect(try tx.fetch(request.limit(2).offset(1)).map(\.id) == [30, 26])
            #expect(try tx.fetch(request).count == 9)
            #expect(try tx.first(Bookings.Several.where { $0.id == 38 })?.room == 2)
            #expect(try tx.first(Bookings.Several.where { $0.id == 34 }) == nil)
        }
    }

    @Test func `one that does not fit is refused as by the planner`() throws {
        let store = try Store.temporary(records: Bookings.Compound.self)
        try store.read { tx in
            let reading = tx._reading
            var request = Request()
            request.condition = .comparison(FieldName(["room"]), .equal, .string("text"))
            #expect(throws: StoreError.self) { try reading.count(request, typeIndex: 0) }
            request.condition = .comparison(FieldName(["nothing"]), .equal, .int(1))
            #expect(throws: StoreError.self) { try reading.count(request, typeIndex: 0) }
            request.condition = .comparison(FieldName(["room"]), .equal, .int(1))
            request.limit = -1
            #expect(throws: StoreError.self) { try reading.count(request, typeIndex: 0) }
            request.limit = nil
            request.order = [SortTerm(FieldName(["nothing"]))]
            request.position = nil
            #expect(throws: StoreError.self) {
                try reading.fetchDynamic(request, typeIndex: 0) { _ in true }
            }
        }
    }
}
