import StoreEngine
import StoreRuntime

/// A key of the environment: a value that a tree of components hands down.
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
    /// The type of the value.
    associatedtype Value: Sendable
    /// The value where no scope or component has set one.
    static var defaultValue: Value { get }
}

/// The environment values that reach a place in a tree of components.
public struct EnvironmentValues {
    private let inherited: (ObjectIdentifier) -> Any?
    private(set) var overrides: [ObjectIdentifier: any Sendable] = [:]

    init(_ inherited: @escaping (ObjectIdentifier) -> Any?) { self.inherited = inherited }

    /// The value of a key.
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get {
            let id = ObjectIdentifier(key)
            return Kept.value(overrides[id]) ?? Kept.value(inherited(id)) ?? Key.defaultValue
        }
        set { overrides[ObjectIdentifier(key)] = newValue }
    }
}

/// An environment value, read by its key path.
///
/// A component that reads the value updates when it changes.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>
    private let line: (file: StaticString, line: UInt)
    /// This is no lasting cycle: when the place ends, it releases its component, and with it this reference.
    private var node: Node?

    /// Reads the value at a key path.
    public init(_ path: KeyPath<EnvironmentValues, Value>, file: StaticString = #fileID, line: UInt = #line) {
        self.path = path
        self.line = (file, line)
    }

    /// The value. In a component without a host, the default value of the key, and a notice names the line.
    public var wrappedValue: Value {
        guard let node else {
            UnhostedUse.report("@Environment", "it has the default value of its key", line)
            return EnvironmentValues { _ in nil }[keyPath: path]
        }
        return EnvironmentValues { node.environment($0) }[keyPath: path]
    }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) { node = slots.node }
}

extension Environment: Equatable {
    /// Returns whether both have the same key path.
    public static func == (left: Environment, right: Environment) -> Bool { left.path == right.path }
}

/// The environment values and objects that a parent gives a component where it places it. They reach the component and its
/// descendants.
public struct EnvironmentOverrides {
    private(set) var overrides: [ObjectIdentifier: Any] = [:]
    /// The provided objects among the overrides. The place keeps them alive.
    private(set) var provided: [ObjectIdentifier: ProvidedObject] = [:]
    private let inherited: (ObjectIdentifier) -> Any?
    /// Records that the children of the placing component depend on the inherited value of a key.
    private let note: (ObjectIdentifier) -> Void

    init(_ inherited: @escaping (ObjectIdentifier) -> Any?, note: @escaping (ObjectIdentifier) -> Void) {
        self.inherited = inherited
        self.note = note
    }

    /// An environment value, inherited or overridden here. Reading it counts as a read by the component that places the child.
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
                // A value that was set in part keeps the rest of the inherited value, so the child depends on that. A read does
                // not prove it: key paths read the inherited value even when they replace all of it.
                if overrides[key] == nil, !Sameness.areWhollySame(value, newValue) { note(key) }
                overrides[key] = value
            }
        }
    }

    /// Provides an object that descendants find by its type. The object stays alive while the component is placed with it.
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
