public import StoreRuntime

/// A value that belongs to a component's place in the tree.
///
/// The initial value is used once, when the component appears. Initial values of later component values are ignored. Setting the
/// value updates the components that read it, unless the new value is the same as the old one. `$value` is a
/// ``/ModelStore/Binding``, and `$value.part` is a binding to a part of it. Any thread can use both.
///
/// In a value without a host, the wrapper shows the initial value and cannot be set.
@propertyWrapper
public struct State<Value: Sendable>: DynamicProperty {
    private let initial: Value
    private var subject: Subject<Value>?

    /// Creates a state with its initial value.
    public init(wrappedValue: Value) { initial = wrappedValue }

    /// Creates a state with its initial value, for an initializer that sets the wrapper itself:
    /// `_count = State(initialValue: 3)`.
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    /// The current value.
    public var wrappedValue: Value {
        get { subject?.value ?? initial }
        nonmutating set { subject?.send(newValue) }
    }

    /// A binding to the value.
    public var projectedValue: Binding<Value> { subject?.binding ?? .constant(initial) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let initial = initial
        subject = slots.slot { _ in Subject(initial) }
    }
}

extension State: Equatable {
    /// Always true: the value belongs to the place, and does not describe the component.
    public static func == (left: State, right: State) -> Bool { true }
}
