/// A condition on the fields of a record, as a tree. Typed conditions and `store-cli` expressions both produce it.
///
/// Values are compared in the order of keys:
///
/// - Numbers compare by value. `-0.0` equals `0.0`; `NaN` equals itself and comes after all other numbers.
/// - Texts compare by Unicode scalars.
/// - None equals none and differs from every value. It is neither less nor greater than any value.
package indirect enum ConditionNode: Hashable, Sendable {
    /// True or false for every record.
    case constant(Bool)
    /// Compares a field with a value.
    case comparison(FieldName, Comparison, DynamicValue)
    /// Compares a field with another field of the same type.
    case fieldComparison(FieldName, Comparison, FieldName)
    /// Compares a calculation with another calculation, a field or a value.
    case arithmetic(ArithmeticNode, Comparison, ArithmeticNode)
    /// Whether a field equals one of several values.
    case membership(FieldName, [DynamicValue])
    /// Tests a text.
    case text(FieldName, TextTest, String, TextOptions)
    /// Whether an array or a set contains a value, or data contains a byte.
    case element(FieldName, DynamicValue)
    /// Whether any or all elements of an array or a set, or bytes of data, meet a condition. In the condition, the field with an
    /// empty name is the element. If the element is a struct, its fields have their own names. False where there is no
    /// collection.
    case elements(FieldName, ElementTest, ConditionNode)
    /// Compares the number of elements of an array, set or dictionary, of characters of a text, or of bytes of data.
    case size(FieldName, Comparison, Int)
    /// Compares the number of records that refer to this one and meet a condition.
    case inverse(InverseName, ConditionNode, Comparison, Int)
    /// Whether the record is among the found ones. While a request runs, this node replaces a part about other records that has
    /// been resolved. A request itself never contains it.
    case found(FoundRecords)
    /// Whether all of these hold; true when there are none.
    case and([ConditionNode])
    /// Whether at least one of these holds; false when there are none.
    case or([ConditionNode])
    /// Whether the condition does not hold.
    case not(ConditionNode)
    /// An invalid condition. Using it throws the mistake as an error.
    case invalid(ConditionMistake)

    /// Whether both are the same condition. Texts to search for are compared by their Unicode scalars, as values are.
    package static func == (left: ConditionNode, right: ConditionNode) -> Bool {
        switch (left, right) {
        case (.constant(let value), .constant(let other)): value == other
        case (.comparison(let field, let test, let value), .comparison(let otherField, let otherTest, let otherValue)):
            (field, test, value) == (otherField, otherTest, otherValue)
        case (
            .fieldComparison(let field, let test, let value),
            .fieldComparison(let otherField, let otherTest, let otherValue)
        ):
            (field, test, value) == (otherField, otherTest, otherValue)
        case (
            .arithmetic(let first, let test, let second),
            .arithmetic(let otherFirst, let otherTest, let otherSecond)
        ):
            (first, test, second) == (otherFirst, otherTest, otherSecond)
        case (.membership(let field, let value), .membership(let otherField, let otherValue)):
            (field, value) == (otherField, otherValue)
        case (
            .text(let field, let test, let text, let options), .text(let otherField, let otherTest, let other, let with)
        ):
            (field, test, options) == (otherField, otherTest, with) && text.hasSameScalars(as: other)
        case (.element(let field, let value), .element(let otherField, let otherValue)):
            (field, value) == (otherField, otherValue)
        case (.elements(let field, let test, let value), .elements(let otherField, let otherTest, let otherValue)):
            (field, test, value) == (otherField, otherTest, otherValue)
        case (.size(let field, let test, let value), .size(let otherField, let otherTest, let otherValue)):
            (field, test, value) == (otherField, otherTest, otherValue)
        case (
            .inverse(let name, let condition, let test, let value),
            .inverse(let otherName, let otherCondition, let otherTest, let otherValue)
        ):
            (name, condition, test, value) == (otherName, otherCondition, otherTest, otherValue)
        case (.found(let left), .found(let right)): left == right
        case (.and(let left), .and(let right)), (.or(let left), .or(let right)): left == right
        case (.not(let left), .not(let right)): left == right
        case (.invalid(let left), .invalid(let right)): left == right
        default: false
        }
    }

    /// The number of levels that the condition nests, itself included.
    package var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
        case .not(let part), .elements(_, _, let part), .inverse(_, let part, _, _): 1 + part.depth
        default: 1
        }
    }
}

/// A comparison of two values.
@usableFromInline
package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// Whether the comparison holds for two values in a given order. The order is negative, zero or positive as the first value
    /// comes before, equals or comes after the second.
    @inline(__always)
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The comparison with the same meaning after its sides are exchanged.
    package var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// Whether the comparison asks for an order. None is not part of any order.
    var isOrdering: Bool { self != .equal && self != .notEqual }
}

/// The number of elements that must meet a condition.
package enum ElementTest: String, Hashable, Sendable, CaseIterable {
    /// At least one element.
    case any
    /// Every element; true for an empty collection.
    case all
}

/// A test of a text.
package enum TextTest: String, Hashable, Sendable, CaseIterable {
    case contains, startsWith, endsWith, equals
}

/// The differences that a test of a text ignores.
public struct TextOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// Creates options from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ignores case, by Unicode's simple case folding of each character.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Ignores diacritics.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// The name of a field; it has more than one part for a field of an embedded struct.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    /// The name of the record's own field; empty for the empty name.
    let first: String
    /// The other names on the path. They are stored separately because most names have none and then need no array.
    let rest: [String]

    package init(_ parts: [String]) {
        first = parts.first ?? ""
        rest = Array(parts.dropFirst())
    }

    /// Creates the name that a token or an expression gives, with dots between the parts.
    package init(_ name: String) {
        let isPath = name.utf8.contains(UInt8(ascii: "."))
        let parts = isPath ? name.split(separator: ".").map(String.init) : []
        first = isPath ? parts.first ?? "" : name
        rest = Array(parts.dropFirst())
    }

    package var parts: [String] { first.isEmpty && rest.isEmpty ? [] : [first] + rest }

    /// The name where it is one of the record's own fields; nil for a field of an embedded struct.
    var single: String? { rest.isEmpty && !first.isEmpty ? first : nil }

    package var description: String { rest.isEmpty ? first : parts.joined(separator: ".") }
}
