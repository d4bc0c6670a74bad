import StoreRuntime

/// An object that the nearest ancestor which provides one of its type has provided.
///
/// A component is not updated while there is none; the registry tells the type and the scope's path.
@propertyWrapper
public struct EnvironmentObject<Object: AnyObject>: DynamicProperty {
    private let line: (file: StaticString, line: UInt)
    private var object: Object?
    private var confinement: Confinement?

    /// Whatever is provided.
    public init(file: StaticString = #fileID, line: UInt = #line) { self.line = (file, line) }

    /// The object.
    ///
    /// - Precondition: the component has a host.
    public var wrappedValue: Object {
        guard let object else {
            preconditionFailure(
                "\(Object.self) is read of a component that has no host, so that nothing is provided to it")
        }
        return object
    }

    /// Gives bindings to the object's properties.
    public var projectedValue: ObjectBindings<Object> { ObjectBindings(wrappedValue, line, confinement) }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        confinement = slots.node.tree.confinement
        object = slots.node.environment(ObjectIdentifier(Object.self)) as? Object
        guard let object else {
            return slots.node.fail(
                .missingObject,
                "\(slots.node.path) asks for a \(Object.self), and no ancestor provides one; provide it where the component or "
                    + "an ancestor is placed, or on a scope", line)
        }
        (object as? any ObservableObject)?.objectWillChange.declare()
    }
}

extension EnvironmentObject: Equatable {
    /// Always: the object comes from elsewhere, and is no part of what describes the component.
    public static func == (left: EnvironmentObject, right: EnvironmentObject) -> Bool { true }
}
