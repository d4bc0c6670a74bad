/// A value that is stored elsewhere, to read and to set: a field of a model, or a value behind two closures.
///
/// As a property wrapper, it passes the value on: `$value` is the binding, `$value.part` a binding to a part of the value.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value: Sendable>: Sendable {
    private let read: @Sendable () -> Value
    private let change: @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    /// Returns the value without queued changes; nil if changes take effect at once.
    package let committed: (@Sendable () -> Value)?
    /// Reads parts of the value; nil if a reader of a part depends on the whole value.
    private let parts: (any PartSource<Value>)?
    /// The source of the value; nil if it cannot be compared.
    package private(set) var source: BindingSource?

    /// Creates a binding from a closure that reads a value and a closure that changes it.
    ///
    /// - Parameters:
    ///   - get: returns the value.
    ///   - update: applies a change to the value, now or later. It may apply the change more than once, each time to the current
    ///     value.
    public init(
        get: @escaping @Sendable () -> Value,
        update: @escaping @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    ) {
        self.init(get: get, committed: nil, update: update)
    }

    /// Creates a binding whose parts are tracked each on its own.
    ///
    /// - Parameter parts: reads the value.
    package init(
        parts: any PartSource<Value>,
        update: @escaping @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    ) {
        self.init(get: { parts.whole }, committed: nil, parts: parts, update: update)
    }

    /// Creates a binding whose changes are queued, and applied later.
    ///
    /// - Parameter committed: returns the value without queued changes.
    package init(
        get: @escaping @Sendable () -> Value, committed: (@Sendable () -> Value)?,
        parts: (any PartSource<Value>)? = nil,
        update: @escaping @Sendable (@escaping @Sendable (inout Value) -> Void) -> Void
    ) {
        read = get
        self.committed = committed
        self.parts = parts
        change = update
    }

    /// Passes a binding to a parameter that is declared with this wrapper, such as the `$row` of a closure.
    public init(projectedValue: Binding) { self = projectedValue }

    /// Returns the binding with a source, so that it can be compared with others.
    package func of(_ source: BindingSource?) -> Binding {
        var binding = self
        binding.source = source
        return binding
    }

    /// The value. Setting it changes the source.
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { change { $0 = newValue } }
    }

    /// The binding itself.
    public var projectedValue: Binding { self }

    /// Applies a change to the source's value. The change runs after all queued changes, and receives the value at that time.
    public func update(_ body: @escaping @Sendable (inout Value) -> Void) { change(body) }
}

extension Binding {
    /// Creates a binding from a closure that reads a value and a closure that sets it.
    ///
    /// An ``update(_:)`` of the binding is one step if the closures read and set a `Subject`, a `@State` or a `@Published`
    /// property. Then the change runs again if another thread sets the value in between. For a value of another kind, use
    /// ``init(get:update:)``.
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        self.init(get: get) { body in AtomicUpdate.run(get: get, change: body, set: set) }
    }

    /// Returns a binding to a constant value. Setting it does nothing.
    public static func constant(_ value: Value) -> Binding { Binding(get: { value }, update: { _ in }) }

    /// A binding to a part of the value.
    ///
    /// Code that reads it depends on that part alone if this binding leads to a `@State`, a `Subject`, an element of a
    /// `StateStore`, or a `@Published` property. Otherwise, for example for a field of a model, it depends on all of the value.
    public subscript<Part: Sendable>(
        dynamicMember path: any WritableKeyPath<Value, Part> & Sendable
    ) -> Binding<Part> {
        var committedPart: (@Sendable () -> Part)?
        if let committed { committedPart = { committed()[keyPath: path] } }
        let part = parts?.part(path)
        return Binding<Part>(
            get: { part?.whole ?? read()[keyPath: path] },
            committed: committedPart, parts: part,
            update: { body in change { body(&$0[keyPath: path]) } }
        ).of(source?.parts([path]))
    }
}

/// A value whose parts are read, and tracked, each on its own.
package protocol PartSource<Whole>: Sendable {
    associatedtype Whole: Sendable

    /// The current value. Reading it tracks all of it.
    var whole: Whole { get }

    /// Returns a part of the value, whose `whole` tracks that part alone.
    func part<Part: Sendable>(_ path: any KeyPath<Whole, Part> & Sendable) -> any PartSource<Part>
}

/// Returns the path to a part of the value that a path leads to.
package func joined<Root, Value, Part>(
    _ path: any KeyPath<Root, Value> & Sendable, _ part: any KeyPath<Value, Part> & Sendable
) -> any KeyPath<Root, Part> & Sendable {
    // A path is Sendable if its arguments are, and the joined path has the arguments of both.
    unsafe unsafeBitCast(path.appending(path: part), to: (any KeyPath<Root, Part> & Sendable).self)
}

/// The source of a binding: an object, and the path to a part of it. Bindings with equal sources do the same.
///
/// The bindings keep alive what a source identifies, so compare only the sources of bindings that exist.
package struct BindingSource: Sendable, Equatable {
    private let object: ObjectIdentifier
    private let path: [any Hashable & Sendable]

    /// - Parameter path: the parts of the object's state, from the outermost, and the closures that convert the last one.
    package init(_ object: AnyObject, _ path: any Hashable & Sendable...) {
        self.init(ObjectIdentifier(object), path)
    }

    private init(_ object: ObjectIdentifier, _ path: [any Hashable & Sendable]) {
        self.object = object
        self.path = path
    }

    /// Returns the source of a part.
    package func parts(_ path: [any Hashable & Sendable]) -> BindingSource {
        BindingSource(object, self.path + path)
    }

    package static func == (left: BindingSource, right: BindingSource) -> Bool {
        left.object == right.object && left.path.elementsEqual(right.path) { isSame($0, $1) }
    }

    private static func isSame<Part: Hashable>(_ left: Part, _ right: any Hashable) -> Bool { left == right as? Part }
}

/// Identifies a closure by its function and its captures. Two closures that capture nothing are the same if one line makes them.
package struct ClosureIdentity: Hashable, Sendable {
    private let words: [UInt]

    /// - Parameter closure: a closure all of whose parameters and results are of generic types. Swift wraps other closures
    ///   in a new closure each time that they become generic.
    package init<Closure>(_ closure: Closure) {
        words = unsafe withUnsafeBytes(of: closure) { bytes in unsafe Array(bytes.bindMemory(to: UInt.self)) }
    }
}
