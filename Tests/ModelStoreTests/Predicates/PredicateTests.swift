import Foundation
import ModelStore
import Testing

enum CrateMode: String, Codable { case eco, boost }

/// A type that the store saves as JSON.
struct Loose: Codable, Equatable, Sendable { var text: String }

@Record struct Crate: Equatable {
    @ID var id: Int
    @Indexed var name: String
    var note: String?
    @Indexed var load: Double
    var limit: Double
    var level: Int32?
    var flag: Bool
    var draft: Bool?
    var mode: CrateMode?
    var tags: [String]
    var marks: Set<Int>
    var place: Shelf
    var spare: Shelf?
    var shelves: [Shelf]
    var words: [String]?
    var sizes: [String: Int]
    var loose: Loose?
    var looseOnes: [Loose]?
    var seen: Date
    @Transient var cache: Int = 0

    /// A computed property.
    var title: String { name + "!" }
}

/// Random crates.
struct CrateMaker {
    private var random: TransactionRandom

    init(seed: UInt64) { random = TransactionRandom(seed: seed) }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

    private mutating func shelf() -> Shelf { Shelf(floor: pick([0, 1, 2, 3]), label: pick([nil, "", "top", "x"])) }

    mutating func crate(_ id: Int) -> Crate {
        Crate(
            id: id, name: pick(["", "a", "ab", "kitchen", "Kit", "z"]), note: pick([nil, "", "x", "xy", "top"]),
            load: pick([0, -0.0, 1, 2.5, -3, .infinity, -.infinity, .nan]),
            limit: pick([0, 1, 2.5, .nan, .infinity]), level: pick([nil, -1, 0, 3, 7]), flag: pick([true, false]),
            draft: pick([nil, true, false]), mode: pick([nil, .eco, .boost]),
            tags: pick([[], ["a"], ["a", "x"], ["b"], ["xy", "b"]]), marks: pick([[], [1], [1, 2], [3]]),
            place: shelf(), spare: pick([nil, shelf()]), shelves: pick([[], [shelf()], [shelf(), shelf()]]),
            words: pick([nil, [], ["a"], ["b", "a"]]), sizes: pick([[:], ["a": 1], ["a": 1, "b": 2]]),
            loose: pick([nil, Loose(text: "null")]), looseOnes: pick([nil, [], [Loose(text: "")]]),
            seen: Date(timeIntervalSinceReferenceDate: pick([0, 1, 1e9])))
    }
}

/// Foundation's predicates as requests. Each request finds the records for which the predicate evaluates to true.
@Suite struct PredicateTests {
    private static let names = ["a", "z"]
    private static let eco: CrateMode? = .eco
    private static let date = Date(timeIntervalSinceReferenceDate: 1)

    /// One predicate for each kind of translated expression.
    private static let predicates: [(String, Predicate<Crate>)] = {
        let (names, eco, date, range, noNumber) = (
            Self.names, Self.eco, Self.date, 1.0...2.5, Double.infinity - .infinity
        )
        let nothing: String? = nil
        let (fromThree, loose, numbers): (PartialRangeFrom<Int>, Loose, [Int]) = (3..., Loose(text: "b"), [1, 3])
        return [
            ("equal", #Predicate<Crate> { $0.name == "kitchen" }),
            ("not equal", #Predicate<Crate> { $0.name != "kitchen" }),
            ("an optional and a value", #Predicate<Crate> { $0.note == "x" }),
            ("an optional differs", #Predicate<Crate> { $0.note != "x" }),
            ("nil", #Predicate<Crate> { $0.note == nil }), ("not nil", #Predicate<Crate> { $0.note != nil }),
            ("nil of a constant", #Predicate<Crate> { $0.note == nothing }),
            ("zero", #Predicate<Crate> { $0.load == 0 }), ("not zero", #Predicate<Crate> { $0.load != 0 }),
            ("NaN", #Predicate<Crate> { $0.load == noNumber }), ("not NaN", #Predicate<Crate> { $0.load != noNumber }),
            ("less", #Predicate<Crate> { $0.load < 2.5 }), ("at most", #Predicate<Crate> { $0.load <= 2.5 }),
            ("greater", #Predicate<Crate> { $0.load > 1 }), ("at least", #Predicate<Crate> { $0.load >= 1 }),
            ("not greater", #Predicate<Crate> { !($0.load > 1) }), ("from the left", #Predicate<Crate> { 1 < $0.load }),
            ("less than NaN", #Predicate<Crate> { $0.load < noNumber }),
            ("two fields equal", #Predicate<Crate> { $0.load == $0.limit }),
            ("two fields differ", #Predicate<Crate> { $0.load != $0.limit }),
            ("a field less than another", #Predicate<Crate> { $0.load < $0.limit }),
            ("a field greater than another", #Predicate<Crate> { $0.load >= $0.limit }),
            ("texts in order", #Predicate<Crate> { $0.name < "b" }), ("dates", #Predicate<Crate> { $0.seen >= date }),
            ("a flag", #Predicate<Crate> { $0.flag }), ("no flag", #Predicate<Crate> { !$0.flag }),
            ("a flag compared", #Predicate<Crate> { $0.flag == false }),
            ("a flag and a comparison", #Predicate<Crate> { $0.flag == ($0.load > 0) }),
            ("a comparison unlike a flag", #Predicate<Crate> { ($0.load > 0) != $0.flag }),
            ("both", #Predicate<Crate> { $0.flag && $0.load > 0 }),
            ("either", #Predicate<Crate> { $0.flag || $0.name == "a" }),
            ("if else", #Predicate<Crate> { $0.flag ? $0.load > 1 : $0.load < 1 }),
            ("an enum", #Predicate<Crate> { $0.mode == eco }),
            ("a closed range", #Predicate<Crate> { (1...3).contains($0.id) }),
            ("a range", #Predicate<Crate> { (0.0..<2.5).contains($0.load) }),
            ("a constant range", #Predicate<Crate> { range.contains($0.load) }),
            ("a list", #Predicate<Crate> { names.contains($0.name) }),
            ("an element", #Predicate<Crate> { $0.tags.contains("a") }),
            ("a member of a set", #Predicate<Crate> { $0.marks.contains(2) }),
            ("some element", #Predicate<Crate> { $0.tags.contains(where: { $0.starts(with: "x") }) }),
            ("all elements", #Predicate<Crate> { $0.tags.allSatisfy { $0 == "a" } }),
            ("some struct", #Predicate<Crate> { $0.shelves.contains(where: { $0.floor > 1 }) }),
            ("count", #Predicate<Crate> { $0.tags.count > 1 }), ("no elements", #Predicate<Crate> { $0.tags.isEmpty }),
            ("an empty text", #Predicate<Crate> { $0.name.isEmpty }),
            ("no pairs", #Predicate<Crate> { $0.sizes.isEmpty }), ("pairs", #Predicate<Crate> { $0.sizes.count > 1 }),
            ("a count instead of nil", #Predicate<Crate> { ($0.note?.count ?? 7) >= 2 }),
            ("a small count instead of nil", #Predicate<Crate> { ($0.note?.count ?? 0) >= 2 }),
            ("no count instead of nil", #Predicate<Crate> { ($0.note?.count ?? 0) == 0 }),
            ("an element instead of nil", #Predicate<Crate> { ($0.words ?? []).contains("a") }),
            ("an element of another list", #Predicate<Crate> { ($0.words ?? ["a"]).contains("a") }),
            ("empty instead of nil", #Predicate<Crate> { ($0.words ?? []).isEmpty }),
            ("a count of another list", #Predicate<Crate> { ($0.words ?? ["x", "y"]).count == 2 }),
            ("an empty text instead of nil", #Predicate<Crate> { ($0.note ?? "").isEmpty }),
            ("a list and another value", #Predicate<Crate> { names.contains($0.note ?? "a") }),
            ("a list without the other value", #Predicate<Crate> { names.contains($0.note ?? "q") }),
            ("a range and another value", #Predicate<Crate> { (0...3).contains($0.level ?? 1) }),
            ("a negative number instead of nil", #Predicate<Crate> { ($0.level ?? -1) < 0 }),
            ("a negative range", #Predicate<Crate> { (-3.0 ... -0.5).contains($0.load) }),
            ("no JSON", #Predicate<Crate> { $0.loose == nil }), ("some JSON", #Predicate<Crate> { $0.loose != nil }),
            ("no list of JSON", #Predicate<Crate> { $0.looseOnes == nil }),
            ("a count of an optional", #Predicate<Crate> { $0.note?.count == 1 }),
            ("a count of an optional differs", #Predicate<Crate> { $0.note?.count != 1 }),
            ("a part", #Predicate<Crate> { $0.name.contains("it") }),
            ("a beginning", #Predicate<Crate> { $0.name.starts(with: "k") }),
            ("a nested field", #Predicate<Crate> { $0.place.floor > 1 }),
            ("an optional nested field", #Predicate<Crate> { $0.place.label == "top" }),
            ("a field of an optional struct", #Predicate<Crate> { $0.spare?.floor == 2 }),
            ("an optional field of an optional struct", #Predicate<Crate> { $0.spare?.label == nil }),
            ("no struct", #Predicate<Crate> { $0.spare == nil }),
            ("instead of nil", #Predicate<Crate> { ($0.note ?? "x") == "x" }),
            ("instead of nil, another", #Predicate<Crate> { ($0.note ?? "q") != "x" }),
            ("a number instead of nil", #Predicate<Crate> { ($0.level ?? 5) > 3 }),
            ("a flag instead of nil", #Predicate<Crate> { $0.draft ?? true }),
            ("an optional test", #Predicate<Crate> { $0.note?.contains("x") == true }),
            ("an optional test that fails", #Predicate<Crate> { $0.note?.contains("x") != true }),
            ("an optional test or true", #Predicate<Crate> { $0.note?.contains("x") ?? true }),
            ("if let", #Predicate<Crate> { if let note = $0.note { note.starts(with: "x") } else { false } }),
            ("a part of what is instead of nil", #Predicate<Crate> { ($0.note ?? "").contains("x") }),
            ("a part of another text", #Predicate<Crate> { ($0.note ?? "box").contains("ox") }),
            ("no part of another text", #Predicate<Crate> { !($0.note ?? "box").contains("x") }),
            ("a beginning of another text", #Predicate<Crate> { ($0.note ?? "xa").starts(with: "x") }),
            ("a part of one of two fields", #Predicate<Crate> { ($0.note ?? $0.name).contains("it") }),
            ("two levels of other values", #Predicate<Crate> { ($0.spare?.label ?? $0.note ?? "q") != "x" }),
            ("a value against a field", #Predicate<Crate> { ($0.note ?? "a") == $0.name }),
            ("a calculation with another value", #Predicate<Crate> { ($0.level ?? 1) + 2 > 3 }),
            ("a count of one of two", #Predicate<Crate> { ($0.words ?? $0.tags).count > 1 }),
            ("elements instead of nil", #Predicate<Crate> { ($0.words ?? ["x"]).contains(where: { $0 > "a" }) }),
            ("all elements instead of nil", #Predicate<Crate> { ($0.words ?? []).allSatisfy { $0 == "a" } }),
            ("one of two numbers", #Predicate<Crate> { ($0.flag ? $0.load : $0.limit) >= 1 }),
            ("one of two texts", #Predicate<Crate> { ($0.flag ? $0.name : "kit").contains("it") }),
            ("a constant or a field", #Predicate<Crate> { ($0.flag ? 1 : $0.id) == 2 }),
            (
                "if let, another field",
                #Predicate<Crate> { crate in if let note = crate.note { note == crate.name } else { crate.flag } }
            ),
            ("a filter", #Predicate<Crate> { !$0.tags.filter { $0 != "a" }.isEmpty }),
            ("a filter's count", #Predicate<Crate> { $0.shelves.filter { $0.floor > 1 }.count == 0 }),
            ("a filter that has some", #Predicate<Crate> { $0.shelves.filter { $0.floor > 1 }.count >= 1 }),
            ("a filter of a filter", #Predicate<Crate> { $0.tags.filter { $0 > "a" }.filter { $0 < "xy" }.isEmpty }),
            ("all of a filter", #Predicate<Crate> { $0.shelves.filter { $0.floor > 1 }.allSatisfy { $0.floor == 2 } }),
            ("an element of a filter", #Predicate<Crate> { $0.tags.filter { $0 != "b" }.contains("x") }),
            ("the greatest", #Predicate<Crate> { $0.marks.max() == 2 }),
            ("the greatest differs", #Predicate<Crate> { $0.tags.max() != "x" }),
            ("no greatest", #Predicate<Crate> { $0.marks.max() == nil }),
            ("the least is less", #Predicate<Crate> { ($0.marks.min() ?? 9) < 2 }),
            ("the least of texts", #Predicate<Crate> { ($0.tags.min() ?? "z") >= "b" }),
            ("a range between fields", #Predicate<Crate> { $0.limit >= 0 && (0...$0.limit).contains($0.load) }),
            ("a range from a constant", #Predicate<Crate> { fromThree.contains($0.id) }),
            ("some constant", #Predicate<Crate> { crate in names.contains(where: { $0 == crate.name }) }),
            ("all constants", #Predicate<Crate> { crate in names.allSatisfy { $0 != crate.name } }),
            ("a constant's property", #Predicate<Crate> { $0.name < loose.text }),
            ("a list and a calculation", #Predicate<Crate> { numbers.contains($0.id % 5) }),
            ("equal to an empty list", #Predicate<Crate> { $0.tags == [] }),
            ("a minus of zero", #Predicate<Crate> { 1 / -$0.load < 0 }),
            ("a sum", #Predicate<Crate> { $0.load + $0.limit > 2 }),
            ("a product", #Predicate<Crate> { $0.id * 2 == 6 }), ("a quotient", #Predicate<Crate> { $0.id / 2 == 2 }),
            ("a remainder", #Predicate<Crate> { $0.id % 3 == 1 }),
            ("a fraction", #Predicate<Crate> { $0.load / 2 <= 1 }), ("a minus", #Predicate<Crate> { -$0.load < 1 }),
        ]
    }()

    @Test func `predicates find what evaluating them finds`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var maker = CrateMaker(seed: seed)
        let crates = (1...120).map { maker.crate($0) }
        let store = try Store.temporary(records: Crate.self)
        try store.write { tx in for crate in crates { try tx.insert(crate) } }
        for (name, predicate) in Self.predicates {
            let expected = try crates.filter { try predicate.evaluate($0) }.map(\.id)
            let found = try store.read { try $0.fetch(FetchRequest(predicate).order { $0.id.ascending }).map(\.id) }
            let wrong = Set(found).symmetricDifference(expected)
            #expect(wrong.isEmpty, "seed \(seed), \(name): \(crates.filter { wrong.contains($0.id) })")
        }
    }

    @Test func `predicates use indexes and join with other conditions`() throws {
        let store = try Store.temporary(records: Crate.self)
        let request = try Crate.where { $0.flag == true }.where(#Predicate<Crate> { $0.name == "kitchen" })
        let plan = try store.read { try $0.explain(request) }
        #expect(plan.hasPrefix("look in the index on name by name:"))
    }

    @Test func `what has no translation is named`() throws {
        let letters = "abc"
        let refused: [(Predicate<Crate>, String)] = [
            (
                #Predicate<Crate> { letters.contains($0.name) },
                "a test of a text for a value that is not constant"
            ),
            (
                #Predicate<Crate> { $0.tags.filter { $0 == "a" }.count > 1 },
                "the number of elements that meet a condition"
            ),
            (
                #Predicate<Crate> { $0.name.contains($0.note ?? "x") },
                "a test of a text for a value that is not constant"
            ),
            (#Predicate<Crate> { $0.tags == ["a"] }, "a comparison of two collections"),
            (#Predicate<Crate> { $0.tags.first == "a" }, "first or last of a collection"),
            (#Predicate<Crate> { $0.title == "a" }, "a property of Crate, of type"),
            (#Predicate<Crate> { $0.tags.contains($0.name) }, "contains with these operands"),
            (
                #Predicate<Crate> { crate in crate.tags.contains(where: { $0 == crate.name }) },
                "a field of the record inside a test of elements"
            ),
        ]
        for (predicate, reason) in refused {
            let failure = #expect(throws: StoreError.self) { try FetchRequest(predicate) }
            #expect(failure?.code == .invalidValue && failure?.remedy != nil)
            #expect(failure?.description.contains(reason) == true, "\(reason): \(String(describing: failure))")
        }
        let store = try Store.temporary(records: Crate.self)
        let request = try FetchRequest(#Predicate<Crate> { $0.cache == 1 })
        let failure = #expect(throws: StoreError.self) { try store.read { try $0.count(request) } }
        #expect(failure?.code == .unknownField)
    }
}
