public import Foundation

// What texts, data and collections hold.

/// A text, or a text or nil.
public protocol TextFieldValue: FieldValue {}

extension String: TextFieldValue {}
extension Optional: TextFieldValue where Wrapped == String {}

extension Field where Value: TextFieldValue {
    /// Whether the text is empty; false where it is nil. An index on the field answers this.
    public var isEmpty: Condition<Root> { Condition(.comparison(FieldName(name), .equal, .string(""))) }

    /// The number of characters, to be compared; that of nil is none, of which no comparison holds.
    ///
    /// Characters are counted as Swift counts them, so that two spellings of one character are one each.
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }

    /// Whether the text holds another; false where it is nil.
    public func contains(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .contains, text, options))
    }

    /// Whether the text begins with another; false where it is nil. An index on the field answers this without options.
    public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .startsWith, text, options))
    }

    /// Whether the text ends with another; false where it is nil.
    public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Condition<Root> {
        Condition(.text(FieldName(name), .endsWith, text, options))
    }

    /// Whether the text equals another but for what the options do not tell apart; false where it is nil.
    public func equals(_ text: String, _ options: TextOptions) -> Condition<Root> {
        Condition(.text(FieldName(name), .equals, text, options))
    }
}

/// Bytes, or bytes or nil.
public protocol DataFieldValue: FieldValue {}

extension Data: DataFieldValue {}
extension Array: DataFieldValue where Element == UInt8 {}
extension Optional: DataFieldValue where Wrapped: DataFieldValue {}

extension Field where Value: DataFieldValue {
    /// Whether there is not a byte; false where there is nil. An index on the field answers this.
    public var isEmpty: Condition<Root> { Condition(.comparison(FieldName(name), .equal, .data([]))) }

    /// The number of bytes, to be compared; that of nil is none, of which no comparison holds.
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

extension Field where Value: Collection, Value.Element: FieldValue {
    /// Whether the array or set holds an element, or the data a byte.
    public func contains(_ element: Value.Element) -> Condition<Root> { condition(element) { .element($0, $1) } }
}

extension Field where Value: Collection & FieldValue {
    /// Whether the array, set or dictionary holds nothing.
    @_disfavoredOverload
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of elements, to be compared.
    @_disfavoredOverload
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

/// A collection or nil.
public protocol OptionalCollectionFieldValue: FieldValue {}

extension Optional: OptionalCollectionFieldValue where Wrapped: Collection & FieldValue {}

extension Field where Value: OptionalCollectionFieldValue {
    /// Whether there is an array, set or dictionary, and it holds nothing.
    @_disfavoredOverload
    public var isEmpty: Condition<Root> { count == 0 }

    /// The number of elements, to be compared; that of nil is none, of which no comparison holds.
    @_disfavoredOverload
    public var count: FieldCount<Root> { FieldCount(name: FieldName(name)) }
}

extension Field {
    /// Whether there is an array or set, and it holds an element, or data and it holds a byte.
    public func contains<C: Collection>(_ element: C.Element) -> Condition<Root>
    where Value == C?, C.Element: FieldValue { condition(element) { .element($0, $1) } }
}

/// The number of elements, characters or bytes of a field, or of the records that refer to one, to be compared.
public struct FieldCount<Root>: Sendable {
    /// What is counted.
    private enum Counted: Sendable {
        case elements(FieldName)
        case referrers(InverseName, ConditionNode)
    }

    private let counted: Counted

    fileprivate init(name: FieldName) { counted = .elements(name) }

    /// The number of records that refer to one and meet a condition.
    init(_ inverse: InverseName, _ condition: ConditionNode) { counted = .referrers(inverse, condition) }

    private func compared(_ comparison: Comparison, _ count: Int) -> Condition<Root> {
        switch counted {
        case .elements(let name): Condition(.size(name, comparison, count))
        case .referrers(let inverse, let condition): Condition(.inverse(inverse, condition, comparison, count))
        }
    }

    /// Whether there are just so many.
    public static func == (field: Self, count: Int) -> Condition<Root> { field.compared(.equal, count) }

    /// Whether there are more or fewer.
    public static func != (field: Self, count: Int) -> Condition<Root> { field.compared(.notEqual, count) }

    /// Whether there are fewer.
    public static func < (field: Self, count: Int) -> Condition<Root> { field.compared(.less, count) }

    /// Whether there are at most so many.
    public static func <= (field: Self, count: Int) -> Condition<Root> { field.compared(.lessOrEqual, count) }

    /// Whether there are more.
    public static func > (field: Self, count: Int) -> Condition<Root> { field.compared(.greater, count) }

    /// Whether there are at least so many.
    public static func >= (field: Self, count: Int) -> Condition<Root> { field.compared(.greaterOrEqual, count) }
}
