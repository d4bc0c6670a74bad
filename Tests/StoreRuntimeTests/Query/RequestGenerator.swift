import StoreEngine
import TestSupport

/// Makes records and requests from small pools, so that values collide.
struct RequestGenerator {
    var random: TestRandom

    /// Texts with endings that keys must not confuse, and long texts that differ beyond the part that an index keeps.
    static let texts: [String] = {
        let long = String(repeating: "long", count: 60)
        return [
            "", "a", "A", "ab", "abc", "b", "kitchen", "Kitchen", "kit", "z", "\u{0}", "a\u{0}b", "e\u{301}", "é", "日本",
            "😀",
            long, long + "a", long + "b", long + "c" + long, long + "a" + long, String(long.dropLast(3)), "\u{10FFFF}",
        ]
    }()
    /// The beginnings and endings of ids. Some ids have truncated keys and share the part that such a key keeps. Their keys are
    /// exactly as long as allowed, one byte longer, or much longer.
    static let idBeginnings = ["", "", "a", "b", String(repeating: "long", count: 60)]
    static let idEndings = ["", "", "z", String(repeating: "y", count: 20), String(repeating: "z", count: 70)]
    static let longRoom = String(repeating: "room", count: 65)
    static let doubles: [Double] = [
        0, -0.0, 1, -1, 21.5, 30, -.infinity, .infinity, .nan, 1e300, -2.5, .leastNonzeroMagnitude,
    ]

    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Returns an id that no other number has. It can be too long for a key.
    mutating func id(_ number: Int) -> String {
        // The multiplication makes the id order differ from the order of the numbers.
        "\(pick(Self.idBeginnings))\(number * 7 % 10)\(pick(Self.idEndings))-\(number)"
    }

    mutating func optionalText() -> String? { chance(30) ? nil : pick(Self.texts) }

    /// Returns a value for a field.
    mutating func value(_ type: FieldType) -> DynamicValue {
        if case .optional(let wrapped) = type { return chance(25) ? .none : value(wrapped) }
        switch type.rawType {
        case .string:
            if case .enumeration(_, let cases?) = type { return .string(pick(cases.rawValues)) }
            return .string(pick(Self.texts))
        case .double: return .double(pick(Self.doubles))
        case .uint8: return .uint(UInt64(pick([0, 1, 5, 30, 200, 255])))
        case .int16: return .int(Int64(pick([-32_768, -1, 0, 8, 9, 32_767])))
        case .int32: return .int(Int64(pick([Int32.min, -2, -1, 0, 1, 2, 3, .max])))
        case .array(let element): return .list((0..<pick([0, 1, 2, 3])).map { _ in value(element) })
        case .embedded(let schema): return .fields(schema.fields.map { value($0.type) })
        default: return .int(Int64(Int.random(in: -2...60, using: &random)))
        }
    }

    /// Returns a request for records of a type.
    mutating func request(_ type: RecordType) -> Request {
        var request = Request()
        let all = Leaf.all(of: type)
        let fields = all.filter { $0.type.isTestable }
        let collections = all.filter { $0.type.elements?.isTestable == true }
        request.condition = chance(10) ? .constant(true) : condition(fields, collections, depth: 3)
        for _ in 0..<pick([0, 1, 1, 2, 3]) {
            request.order.append(SortTerm(pick(fields).name, isDescending: chance(50)))
        }
        if chance(50) { request.limit = pick([0, 1, 2, 5, 20, 1_000]) }
        if chance(30) { request.offset = pick([0, 1, 3, 50]) }
        if chance(20) {
            request.fields = (0..<pick([1, 1, 2])).map { _ in pick(fields).name }
            request.isDistinct = chance(80)
        }
        return request
    }

    private mutating func condition(_ fields: [Leaf], _ collections: [Leaf], depth: Int) -> ConditionNode {
        switch depth == 0 ? 0 : Int.random(in: 0..<10, using: &random) {
        case 0..<6: return !collections.isEmpty && chance(20) ? elements(pick(collections)) : leaf(fields)
        case 6, 7: return .and((0..<pick([1, 2, 2, 3])).map { _ in condition(fields, collections, depth: depth - 1) })
        case 8: return .or((0..<pick([0, 1, 2, 3])).map { _ in condition(fields, collections, depth: depth - 1) })
        default: return .not(condition(fields, collections, depth: depth - 1))
        }
    }

    private mutating func calculation(_ fields: [Leaf], depth: Int) -> ArithmeticNode {
        if depth == 2 || (depth > 0 && chance(60)) {
            return .operation(
                calculation(fields, depth: depth - 1), pick(ArithmeticOperator.allCases),
                calculation(fields, depth: depth - 1))
        }
        // Each side contains a field, because the store refuses a comparison of two constants.
        if chance(70) || depth == 0 { return .field(pick(fields).name) }
        return .value(pick([.int(0), .int(3), .int(-1), .double(0.5), .double(-2), .double(.infinity)]))
    }

    private mutating func elements(_ field: Leaf) -> ConditionNode {
        if chance(20) { return .size(field.name, pick(Comparison.allCases), pick([0, 1, 2])) }
        return .element(field.name, field.type.elements.map { value($0) } ?? .none)
    }

    private mutating func leaf(_ fields: [Leaf]) -> ConditionNode {
        let field = pick(fields)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return .comparison(field.name, .equal, value(field.type))
        case 2:
            return .membership(field.name, (0..<pick([0, 1, 2, 4])).map { _ in value(field.type) })
        case 3 where field.type.unwrapped.rawType == .string:
            // For an enum, half of the texts are texts of its cases.
            guard case .string(let own) = value(field.type.unwrapped) else { return .constant(true) }
            let text = String((chance(50) ? own : pick(Self.texts)).prefix(pick([0, 1, 2, 300])))
            return .text(field.name, pick(TextTest.allCases), text, chance(30) ? .caseInsensitive : [])
        case 5:
            let numbers = fields.filter { $0.type.unwrapped.rawType != .string }
            guard !numbers.isEmpty else { return .constant(true) }
            return .arithmetic(
                calculation(numbers, depth: 2), pick(Comparison.allCases),
                calculation(numbers, depth: 0))
        case 4:
            let others = fields.filter { $0.type.unwrapped == field.type.unwrapped }
            return .fieldComparison(field.name, pick(Comparison.allCases), pick(others).name)
        case 6: return .comparison(field.name, pick([.equal, .notEqual]), .none)
        default: return .comparison(field.name, pick(Comparison.allCases), value(field.type))
        }
    }
}

/// A field of a type, or of a struct inside it.
private struct Leaf {
    let name: FieldName
    let type: FieldType

    static func all(of type: RecordType) -> [Leaf] { all(in: type.fields.map(\.schema), at: [], isOptional: false) }

    private static func all(in fields: [FieldSchema], at way: [String], isOptional: Bool) -> [Leaf] {
        fields.flatMap { field -> [Leaf] in
            let name = way + [field.name]
            if case .embedded(let schema) = field.type.unwrapped {
                return all(in: schema.fields, at: name, isOptional: isOptional || field.type.isOptional)
            }
            let type = isOptional && !field.type.isOptional ? FieldType.optional(field.type) : field.type
            return [Leaf(name: FieldName(name), type: type)]
        }
    }
}

extension FieldType {
    /// Whether the generator and the oracle support the type.
    fileprivate var isTestable: Bool {
        switch unwrapped.rawType {
        case .string, .double, .uint8, .int16, .int32, .int64: true
        default: false
        }
    }
}
