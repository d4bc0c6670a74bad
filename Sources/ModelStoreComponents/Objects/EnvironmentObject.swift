import StoreRuntime

/// An object of this type that the nearest ancestor provides.
///
/// If no ancestor provides one, the component is not updated, and the registry reports the type and the scope's path.
@propertyWrapper
public struct EnvironmentObject<Object: AnyObject>: DynamicProperty {
    private let line: (file: StaticString, line: UInt)
    private var object: Object?
    private var confinement: Confinement?

    /// Uses the provided object of this type.
    public init(file: StaticString = #fileID, line: UInt = #line) { self.line = (file, line) }

    /// The provided object.
    ///
    /// - Precondition: the component has a host.
    public var wrappedValue: Object {
        guard let object else {
            preconditionFailure(
                "\(Object.self) was read in a component without a host, so no object is provided to it "
                    + "(\(line.file):\(line.line))")
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
                "\(slots.node.path) needs a \(Object.self), but no ancestor provides one; provide it where the component or "
                    + "an ancestor is placed, or on a scope", line)
        }
        (object as? any ObservableObject)?._objectWillChange.declare(in: slots.node.scope)
    }
}

extension EnvironmentObject: Equatable {
    /// Always true: the object comes from elsewhere, and does not describe the component.
    public static func == (left: EnvironmentObject, right: EnvironmentObject) -> Bool { true }
}
