/// A value that flows up a tree of components, to an ancestor that asks for it.
public protocol PreferenceKey: SendableMetatype {
    /// What flows up.
    associatedtype Value
    /// The value where nobody gives one.
    static var defaultValue: Value { get }
    /// Joins the value of a component to those of the ones before it, in the order of their placing, each before its children.
    static func reduce(value: inout Value, nextValue: () -> Value)
}
