public import StoreRuntime

/// A value that belongs to a component's place in the tree.
///
/// The initial value is used once, when the component appears; those of later values of the component are ignored. Setting it
/// updates the components that read it, unless the value is the same as the one before. `$value` is a ``Binding``, `$value.part` one to a
/// part of it; both can be used from any thread.
///
/// In a value that no host has, it shows the initial value and cannot be set.
@propertyWrapper
public struct State<Value: Sendable>: DynamicProperty {
    private let initial: Value
    private var subject: Subject<Value>?

    /// A value with what it is at first.
    public init(wrappedValue: Value) { initial = wrappedValue }

    /// A value with what it is at first, for an initializer that sets the wrapper itself: `_count = State(initialValue: 3)`.
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    /// The value as it is now.
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
    /// Always: the value is the place's, and no part of what describes the component.
    public static func == (left: State, right: State) -> Bool { true }
}
