/// A condition on the fields of a record, as a tree: what typed conditions and `store-cli`'s expressions both become.
///
/// Values are compared by the order that keys have: numbers by value (`-0.0` equals `0.0`, `NaN` equals itself and comes
/// after all others), texts by Unicode scalars. A field that is none equals none and differs from every value; it is
/// neither less nor greater than anything.
package indirect enum ConditionNode: Hashable, Sendable {
    /// True or false for every record.
    case constant(Bool)
    /// A field against a value.
    case comparison(FieldName, Comparison, DynamicValue)
    /// A field against another of the same type.
    case fieldComparison(FieldName, Comparison, FieldName)
    /// A calculation against another, or against a field or a value.
    case arithmetic(ArithmeticNode, Comparison, ArithmeticNode)
    /// Whether a field equals one of some values.
    case membership(FieldName, [DynamicValue])
    /// A test of a text.
    case text(FieldName, TextTest, String, TextOptions)
    /// Whether an array or a set holds a value, or data a byte.
    case element(FieldName, DynamicValue)
    /// Whether one element of an array or a set, or one byte of data, or all, meet a condition. In it the element is the field of no name; its
    /// fields, where it is a struct, have theirs. False where there is no collection.
    case elements(FieldName, ElementTest, ConditionNode)
    /// The number of elements of an array, a set or a dictionary, of characters of a text, or of bytes of data.
    case size(FieldName, Comparison, Int)
    /// The number of records that refer to this one and meet a condition.
    case inverse(InverseName, ConditionNode, Comparison, Int)
    /// Whether the record is one of those that a part about other records has led to. It stands in the place of such a part
    /// while a request is run, and in no request.
    case found(FoundRecords)
    /// All of these; true when there are none.
    case and([ConditionNode])
    /// One of these at least; false when there are none.
    case or([ConditionNode])
    /// The opposite.
    case not(ConditionNode)
    /// No condition: an error when it is used.
    case invalid(ConditionMistake)

    /// Whether they are the same condition: texts that they look for are by their Unicode scalars, as values are.
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
        case (.arithmetic(let first, let test, let second), .arithmetic(let otherFirst, let otherTest, let otherSecond)):
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

    /// How many levels deep it nests, itself included.
    package var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.lazy.map(\.depth).max() ?? 0)
        case .not(let part), .elements(_, _, let part), .inverse(_, let part, _, _): 1 + part.depth
        default: 1
        }
    }
}

/// How two values are compared.
@usableFromInline
package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// Whether the comparison holds for values of which the first is before (negative), equal to (zero) or after
    /// (positive) the second.
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

    /// The comparison that says the same with its sides exchanged.
    package var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// Whether it asks for an order, which none has no part in.
    var isOrdering: Bool { self != .equal && self != .notEqual }
}

/// How many elements have to meet a condition.
package enum ElementTest: String, Hashable, Sendable, CaseIterable {
    /// One at least.
    case any
    /// Each; true of an empty collection.
    case all
}

/// What is asked of a text.
package enum TextTest: String, Hashable, Sendable, CaseIterable {
    case contains, startsWith, endsWith, equals
}

/// What a test of a text does not tell apart.
public struct TextOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: UInt8

    /// The options with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case, by Unicode's simple case folding of each character.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters with and without diacritics.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// A field by its name; more than one part for a field of an embedded struct.
package struct FieldName: Hashable, Sendable, CustomStringConvertible {
    /// The record's own field; empty for the name of no field.
    let first: String
    /// The names on the way from there. Apart from the first, as most names have none and then need no array.
    let rest: [String]

    package init(_ parts: [String]) {
        first = parts.first ?? ""
        rest = Array(parts.dropFirst())
    }

    /// The field that a token or an expression names, with dots between the parts.
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
