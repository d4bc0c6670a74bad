import Foundation
import StoreEngine
import TestSupport

/// Makes conditions in all forms of the language, on the fields of ``ExpressionSample``.
struct RandomConditions {
    private var random: TestRandom
    private let fields: [Leaf]

    private struct Leaf {
        var name: FieldName
        var type: FieldType
        var isOptional: Bool
    }

    init(seed: UInt64) {
        random = TestRandom(seed: seed)
        fields = Self.leaves(ExpressionSample.type.fields.map(\.schema), [], isOptional: false)
    }

    private static func leaves(_ fields: [FieldSchema], _ path: [String], isOptional: Bool) -> [Leaf] {
        fields.flatMap { field -> [Leaf] in
            let name = path + [field.name]
            let isOptional = isOptional || field.type.isOptional
            let leaf = Leaf(name: FieldName(name), type: field.type.unwrapped, isOptional: isOptional)
            guard case .embedded(let schema) = leaf.type else { return [leaf] }
            return [leaf] + leaves(schema.fields, name, isOptional: isOptional)
        }
    }

    mutating func condition(depth: Int = 4) -> ConditionNode {
        guard depth > 0, Int.random(in: 0..<4, using: &random) > 0 else { return leaf() }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .not(condition(depth: depth - 1))
        case 1: return .and((0..<Int.random(in: 2...4, using: &random)).map { _ in condition(depth: depth - 1) })
        default: return .or((0..<Int.random(in: 2...4, using: &random)).map { _ in condition(depth: depth - 1) })
        }
    }

    private mutating func leaf() -> ConditionNode {
        if Int.random(in: 0..<8, using: &random) == 0 { return arithmetic() }
        let field = pick(fields)
        if field.isOptional, Int.random(in: 0..<8, using: &random) == 0 {
            return .comparison(field.name, pick([.equal, .notEqual]), .none)
        }
        switch field.type {
        case .array(.json), .json, .embedded: return .constant(Bool.random(using: &random))
        case .dictionary: return size(field)
        case .array(let element), .set(let element):
            if Int.random(in: 0..<3, using: &random) == 0 {
                let it = ConditionNode.comparison(FieldName([]), .equal, value(element))
                return .elements(field.name, pick(ElementTest.allCases), pick([it, .not(.or([it, it]))]))
            }
            return Bool.random(using: &random) ? size(field) : .element(field.name, value(element))
        default: break
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            return .membership(field.name, (0..<Int.random(in: 0...4, using: &random)).map { _ in value(field.type) })
        case 1:
            let low = ConditionNode.comparison(field.name, .greaterOrEqual, value(field.type))
            return .and([low, .comparison(field.name, .lessOrEqual, value(field.type))])
        case 2:
            let others = fields.filter { $0.type == field.type }
            return .fieldComparison(field.name, pick(Comparison.allCases), pick(others).name)
        case 3 where field.type.rawType == .string:
            let options = TextOptions(rawValue: UInt8.random(in: 0...3, using: &random))
            return .text(field.name, pick(TextTest.allCases), text(), options)
        default: return .comparison(field.name, pick(Comparison.allCases), value(field.type))
        }
    }

    private mutating func arithmetic() -> ConditionNode {
        // A calculation with a `Float` field reads its numbers as `Float`, so those fields are left out.
        let numbers = fields.filter { $0.type.isInteger || $0.type == .double }
        return .arithmetic(
            .operation(calculation(numbers, depth: 3), pick(ArithmeticOperator.allCases), .field(pick(numbers).name)),
            pick(Comparison.allCases), calculation(numbers, depth: 1))
    }

    private mutating func calculation(_ fields: [Leaf], depth: Int) -> ArithmeticNode {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .field(pick(fields).name)
        case 1: return .value(.int(integer(Int64.self)))
        case 2: return .value(.double(pick([0.5, -0.0, 1e300, -.infinity, .greatestFiniteMagnitude, fraction()])))
        default:
            if depth == 0 { return .field(pick(fields).name) }
            return .operation(
                calculation(fields, depth: depth - 1), pick(ArithmeticOperator.allCases),
                calculation(fields, depth: depth - 1))
        }
    }

    private mutating func size(_ field: Leaf) -> ConditionNode {
        .size(field.name, pick(Comparison.allCases), pick([0, 1, -1, .max, .min, 77]))
    }

    private mutating func value(_ type: FieldType) -> DynamicValue {
        switch type {
        case .bool: return .bool(Bool.random(using: &random))
        case .int8: return .int(Int64(integer(Int8.self)))
        case .int32: return .int(Int64(integer(Int32.self)))
        case .int64: return .int(integer(Int64.self))
        case .uint8: return .uint(UInt64(integer(UInt8.self)))
        case .uint64: return .uint(integer(UInt64.self))
        case .float: return .float(pick([0, -0.0, .infinity, .nan, .leastNonzeroMagnitude, 0.1, Float(fraction())]))
        case .double:
            return .double(
                pick([-0.0, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude, fraction()]))
        case .string: return .string(text())
        case .data: return .data((0..<Int.random(in: 0...9, using: &random)).map { _ in integer(UInt8.self) })
        case .uuid: return .uuid(UUID(uuid: uuidBytes()))
        case .date:
            let seconds = pick([0, 0.1, -1e9, 812_345_678.123456, 1e300, .infinity, fraction()])
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .url: return .url(pick(["/a%20b", "https://example.org/?q=%20,'"].compactMap { URL(string: $0) }))
        case .decimal:
            return .decimal(pick([0, Decimal(string: "-123456789012345678901234567890.12") ?? 0, .nan, 0.5]))
        case .duration: return .duration(pick([.zero, .nanoseconds(-1), .seconds(1_000_000), .init(attoseconds: 1)]))
        case .optional(let wrapped): return Bool.random(using: &random) ? .none : value(wrapped)
        case .enumeration(.string, let cases): return .string(cases.map { pick($0.rawValues) } ?? text())
        case .enumeration(_, let cases): return .int(pick((cases?.rawValues ?? []).compactMap(Int64.init)))
        default: return .none
        }
    }

    private mutating func text() -> String {
        pick([
            "", " ", "null", "\"", "'", "`", "\\", "a\\nb", "line\nend\r\n\t", "ü\u{301}", "👩‍🚀", "\u{0}\u{7F}\u{9F}",
            "\u{FEFF}x", "\u{202E}", "\u{FFFD}", "&& || !", "\u{10FFFF}", "漢字",
        ])
    }

    private mutating func fraction() -> Double { Double.random(in: -1e6...1e6, using: &random) }

    private mutating func integer<I: FixedWidthInteger>(_ type: I.Type) -> I {
        pick([.min, .max, 0, 1, I.random(in: .min ... .max, using: &random)])
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

    private mutating func uuidBytes() -> uuid_t {
        let (high, low) = (random.next(), random.next())
        let bytes =
            (0..<8).map { UInt8(truncatingIfNeeded: high >> ($0 * 8)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: low >> ($0 * 8)) }
        return (
            bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
            bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
        )
    }
}
