public import Foundation

// Conditions on the contents of texts, data and collections.

/// A text or an optional text.
public protocol TextFieldValue: FieldValue {}

extension String: TextFieldValue {}
extension Optional: TextFieldValue where Wrapped == String {}

extension Field where Value: TextFieldValue {
    /// Whether the text is empty; false where it is nil. An index on the field answers this condition.
    public var isEmpty: Condition<Root> { Condition(.comparison(FieldName(name), .equal, .string(""))) }

    /// The number of characters, for a comparison. Where the text is nil, `!=` holds and no other comparison does.
    ///
    /// The store counts characters as Swift does, so a character counts as one in each of its spellings.
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }

    /// Whether the text contains another text; false where it is nil.
    public func contains(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .contains, text, options))
    }

    /// Whether the text begins with another text; false where it is nil. Without options, an index on the field answers this
    /// condition.
    public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .startsWith, text, options))
    }

    /// Whether the text ends with another text; false where it is nil.
    public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .endsWith, text, options))
    }

    /// Whether the text equals another text, apart from the differences that the options ignore; false where it is nil.
    public func equals(_ text: String, _ options: TextOptions) -> Condition<Root> {
        Condition(.text(FieldName(name), .equals, text, options))
    }
}

/// Bytes or optional bytes.
public protocol DataFieldValue: FieldValue {}

extension Data: DataFieldValue {}
extension Array: DataFieldValue where Element == UInt8 {}
extension Optional: DataFieldValue where Wrapped: DataFieldValue {}

extension Field where Value: DataFieldValue {
    /// Whether the data is empty; false where it is nil. An index on the field answers this condition.
    public var isEmpty: Condition<Root> { Condition(.comparison(FieldName(name), .equal, .data([]))) }

    /// The number of bytes, for a comparison. Where the data is nil, `!=` holds and no other comparison does.
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

extension Field where Value: Collection, Value.Element: FieldValue {
    /// Whether the array or set contains an element, or the data contains a byte.
    public func contains(_ element: Value.Element) -> Condition<Root> { condition(element) { .element($0, $1) } }
}

extension Field where Value: Collection & FieldValue {
    /// Whether the array, set or dictionary is empty.
    @_disfavoredOverload
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of elements, for a comparison.
    @_disfavoredOverload
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

/// An optional collection.
public protocol OptionalCollectionFieldValue: FieldValue {}

extension Optional: OptionalCollectionFieldValue where Wrapped: Collection & FieldValue {}

extension Field where Value: OptionalCollectionFieldValue {
    /// Whether the array, set or dictionary is empty; false where it is nil.
    @_disfavoredOverload
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of elements, for a comparison. Where the collection is nil, `!=` holds and no other comparison does.
    @_disfavoredOverload
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

extension Field {
    /// Whether the array or set contains an element, or the data contains a byte; false where it is nil.
    public func contains<C: Collection>(_ element: C.Element) -> Condition<Root>
    where Value == C?, C.Element: FieldValue { condition(element) { .element($0, $1) } }
}

/// The number of elements, characters or bytes of a field, or of the records that refer to a record. Compare it to make a
/// condition.
public struct FieldCount<Root>: Sendable {
    /// The elements or records to count.
    private enum Counted: Sendable {
        case elements(FieldName)
        case referrers(InverseName, ConditionNode)
    }

    private let counted: Counted

    fileprivate init(name: FieldName) { counted = .elements(name) }

    /// Creates the number of records that refer to a record and meet a condition.
    init(_ inverse: InverseName, _ condition: ConditionNode) { counted = .referrers(inverse, condition) }

    private func compared(_ comparison: Comparison, _ count: Int) -> Condition<Root> {
        switch counted {
        case .elements(let name): Condition(.size(name, comparison, count))
        case .referrers(let inverse, let condition): Condition(.inverse(inverse, condition, comparison, count))
        }
    }

    /// Whether the number equals `count`.
    public static func == (field: Self, count: Int) -> Condition<Root> { field.compared(.equal, count) }

    /// Whether the number differs from `count`.
    public static func != (field: Self, count: Int) -> Condition<Root> { field.compared(.notEqual, count) }

    /// Whether the number is less than `count`.
    public static func < (field: Self, count: Int) -> Condition<Root> { field.compared(.less, count) }

    /// Whether the number is at most `count`.
    public static func <= (field: Self, count: Int) -> Condition<Root> { field.compared(.lessOrEqual, count) }

    /// Whether the number is greater than `count`.
    public static func > (field: Self, count: Int) -> Condition<Root> { field.compared(.greater, count) }

    /// Whether the number is at least `count`.
    public static func >= (field: Self, count: Int) -> Condition<Root> { field.compared(.greaterOrEqual, count) }
}
