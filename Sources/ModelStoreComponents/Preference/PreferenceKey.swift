/// A key of values that flow up a tree of components, to an ancestor that requests them.
public protocol PreferenceKey: SendableMetatype {
    /// The type of the values.
    associatedtype Value
    /// The value if no component sets one.
    static var defaultValue: Value { get }
    /// Combines the value of a component with the values before it. The order is that of placing, each component before its
    /// children.
    static func reduce(value: inout Value, nextValue: () -> Value)
}
