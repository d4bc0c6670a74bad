/// A value that lives somewhere else, to read and to set: a field of a model, or what its maker says.
///
/// As a property wrapper it passes such a value on: `$value` is the binding, `$value.part` a binding to a part of it.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value: Sendable>: Sendable {
    private let read: @Sendable () -> Value
    private let change: @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    /// Gives the value without changes that are queued; nil if a change shows at once.
    package let committed: (@Sendable () -> Value)?

    /// A binding to what two closures read and change.
    ///
    /// - Parameters:
    ///   - get: gives the value.
    ///   - update: makes a change to the value, now or soon; it may make it more than once, each time to the value as it is.
    public init(
        get: @escaping @Sendable () -> Value,
        update: @escaping @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    ) {
        self.init(get: get, committed: nil, update: update)
    }

    /// A binding whose changes are queued, and made later.
    ///
    /// - Parameter committed: gives the value without queued changes.
    package init(
        get: @escaping @Sendable () -> Value, committed: (@Sendable () -> Value)?,
        update: @escaping @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    ) {
        read = get
        self.committed = committed
        change = update
    }

    /// The value. Setting it changes the source.
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { change { $0 = newValue } }
    }

    /// The binding itself.
    public var projectedValue: Binding { self }

    /// Makes a change to the source's value as it is when the change is made, which is later than now where another is waiting.
    public func update(_ body: @escaping @Sendable (inout Value) -> Void) { change(body) }
}

extension Binding {
    /// A binding to what two closures read and set.
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        self.init(get: get) { body in
            var value = get()
            body(&value)
            set(value)
        }
    }

    /// A binding to a value that stays as it is.
    public static func constant(_ value: Value) -> Binding { Binding(get: { value }, update: { _ in }) }

    /// A binding to a part of the value.
    public subscript<Part: Sendable>(
        dynamicMember path: any WritableKeyPath<Value, Part> & Sendable
    ) -> Binding<Part> {
        var committedPart: (@Sendable () -> Part)?
        if let committed { committedPart = { committed()[keyPath: path] } }
        return Binding<Part>(
            get: { read()[keyPath: path] },
            committed: committedPart,
            update: { body in change { body(&$0[keyPath: path]) } })
    }
}
