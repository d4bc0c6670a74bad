import StoreEngine

/// A value that is handed down a tree of components by a key.
///
/// ```swift
/// struct UnitKey: EnvironmentKey { static let defaultValue = Unit.celsius }
/// extension EnvironmentValues {
///     var unit: Unit {
///         get { self[UnitKey.self] }
///         set { self[UnitKey.self] = newValue }
///     }
/// }
/// ```
public protocol EnvironmentKey {
    /// What is handed down.
    associatedtype Value: Sendable
    /// The value where nobody has set one.
    static var defaultValue: Value { get }
}

/// What is handed down to a place in a tree of components.
public struct EnvironmentValues {
    private let inherited: (ObjectIdentifier) -> Any?
    private(set) var overrides: [ObjectIdentifier: any Sendable] = [:]

    init(_ inherited: @escaping (ObjectIdentifier) -> Any?) { self.inherited = inherited }

    /// The value of a key.
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            let id = ObjectIdentifier(key)
            if let value = overrides[id] as? Key.Value { return value }
            return inherited(id) as? Key.Value ?? Key.defaultValue
        }
        set { overrides[ObjectIdentifier(key)] = newValue }
    }
}

/// A value of the environment, by its key path.
///
/// The component is updated when the value changes where it reads it.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>
    /// The place lets go its component when it ends, and with it this.
    private var node: Node?

    /// The value at a key path.
    public init(_ path: KeyPath<EnvironmentValues, Value>) { self.path = path }

    /// The value. In a component that no host has, what the key says.
    public var wrappedValue: Value {
        guard let node else { return EnvironmentValues { _ in nil }[keyPath: path] }
        return EnvironmentValues { node.environment($0) }[keyPath: path]
    }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) { node = slots.node }
}

extension Environment: Equatable {
    /// Whether both are at the same key path.
    public static func == (left: Environment, right: Environment) -> Bool { left.path == right.path }
}

/// What a component is given besides its value, where it is placed. Overrides reach it and what is below it.
public struct EnvironmentOverrides {
    private(set) var overrides: [ObjectIdentifier: Any] = [:]
    /// The objects among them, which the place keeps.
    private(set) var provided: [ObjectIdentifier: ProvidedObject] = [:]
    private let inherited: (ObjectIdentifier) -> Any?
    /// Notes that what the component places depends on what is handed down to it by a key.
    private let note: (ObjectIdentifier) -> Void

    init(_ inherited: @escaping (ObjectIdentifier) -> Any?, note: @escaping (ObjectIdentifier) -> Void) {
        self.inherited = inherited
        self.note = note
    }

    /// A value of the environment, as it is handed down and may be overridden here. What is read is read by the component that
    /// places the other.
    public subscript<Value>(path: WritableKeyPath<EnvironmentValues, Value>) -> Value {
        get {
            EnvironmentValues { key in
                if let value = overrides[key] { return value }
                note(key)
                return inherited(key)
            }[keyPath: path]
        }
        set {
            var values = EnvironmentValues { [overrides, inherited] in overrides[$0] ?? inherited($0) }
            values[keyPath: path] = newValue
            for (key, value) in values.overrides {
                // Of a value that was set in part, the rest was handed down. Key paths read it in any case, also to no end.
                if overrides[key] == nil, !Sameness.areSame(value, newValue) { note(key) }
                overrides[key] = value
            }
        }
    }

    /// Provides an object, to be found by its type. While the component is placed with it, the object is kept alive.
    public mutating func provide<Object: AnyObject>(
        _ object: Object, file: StaticString = #fileID, line: UInt = #line
    ) {
        overrides[ObjectIdentifier(Object.self)] = object
        provided[ObjectIdentifier(Object.self)] = ProvidedObject(object: object, line: (file, line))
    }
}

/// An object that a component is placed with, and the line that provides it.
struct ProvidedObject {
    let object: AnyObject
    let line: (file: StaticString, line: UInt)
}
