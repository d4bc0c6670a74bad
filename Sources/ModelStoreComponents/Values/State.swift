public import StoreRuntime

/// A value that belongs to a component's place in the tree.
///
/// The initial value is used once, when the component appears. Initial values of later component values are ignored. Setting the
/// value updates the components that read it, unless the new value is the same as the old one
/// (<doc:ModelsAndLiveQueries#When-two-values-are-the-same>). `$value` is a
/// ``/ModelStore/Binding``, and `$value.part` is a binding to a part of it. Any thread can use both.
///
/// In a value without a host, the wrapper shows the initial value and cannot be set, and a notice names the line.
@propertyWrapper
public struct State<Value: Sendable>: DynamicProperty {
    private let initial: Value
    private let line: (file: StaticString, line: UInt)
    private var subject: Subject<Value>?

    /// Creates a state with its initial value.
    public init(wrappedValue: Value, file: StaticString = #fileID, line: UInt = #line) {
        initial = wrappedValue
        self.line = (file, line)
    }

    /// Creates a state with its initial value, for an initializer that sets the wrapper itself:
    /// `_count = State(initialValue: 3)`.
    public init(initialValue: Value, file: StaticString = #fileID, line: UInt = #line) {
        self.init(wrappedValue: initialValue, file: file, line: line)
    }

    /// The current value.
    public var wrappedValue: Value {
        get { hosted?.value ?? initial }
        nonmutating set { hosted?.send(newValue) }
    }

    /// A binding to the value.
    public var projectedValue: Binding<Value> { hosted?.binding ?? .constant(initial) }

    /// The value that a place hosts. Reports a use without a host.
    private var hosted: Subject<Value>? {
        if subject == nil { UnhostedUse.report("@State", "it keeps its initial value", line) }
        return subject
    }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let initial = initial
        subject = slots.slot { _ in Subject(initial) }
    }
}

extension State: Equatable {
    /// Always true: the value belongs to the place, and does not describe the component.
    public static func == (left: State, right: State) -> Bool { true }
}
