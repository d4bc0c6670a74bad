public import StoreEngine
public import StoreRuntime

/// Bindings to the properties of an object: `$session.user`, `$sensor.celsius`, `$sensor.binding(\.celsius) { error in … }`.
@dynamicMemberLookup
public struct ObjectBindings<Object: AnyObject> {
    private let object: Object
    /// The line of the wrapped property.
    private let line: (file: StaticString, line: UInt)
    /// Nil in a value without a host.
    private let confinement: Confinement?

    init(_ object: Object, _ line: (file: StaticString, line: UInt), _ confinement: Confinement?) {
        self.object = object
        self.line = line
        self.confinement = confinement
    }

    /// Returns a binding to a property of an object that any thread can use. The binding keeps the object alive. For a class that
    /// is not `Sendable`, write ``confined`` before the property.
    ///
    /// An `update` of the binding is one step for a ``Published()`` property, and for a computed property that reads and sets one
    /// or a ``Subject``. If another thread sets the property in between, the change runs again. A property that synchronizes
    /// itself in another way is read and then set: give it a method that changes it in one step.
    public subscript<Value: Sendable>(
        dynamicMember path: any ReferenceWritableKeyPath<Object, Value> & Sendable
    ) -> Binding<Value> where Object: Sendable {
        let property = ObjectProperty(access: SharedObject(object: object), path: path)
        let binding = Binding(parts: property) { [object] body in
            AtomicUpdate.run(get: { property.whole }, change: body) { object[keyPath: path] = $0 }
        }
        return binding.of(BindingSource(object, path))
    }

    /// Bindings to the properties of an object that is not `Sendable`: `$session.confined.user`.
    public var confined: ConfinedBindings<Object> { ConfinedBindings(object, confinement) }

    /// Returns a binding to a field of a model. Setting it queues a transaction of one field. The first failure for the
    /// property's line becomes a notice. To receive every failure, use ``binding(_:isOptimistic:file:line:onError:)``.
    public subscript<R: Record, Value: Sendable>(
        dynamicMember field: KeyPath<R.Fields, Field<R, Value>>
    ) -> Binding<Value> where Object == Model<R> { object.binding(field, file: line.file, line: line.line) }

    /// Returns a binding to a field of a model that can show a new value at once, and that reports failures; as
    /// ``/ModelStore/Model/binding(_:isOptimistic:file:line:onError:)``.
    public func binding<R: Record, Value: Sendable>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, isOptimistic: Bool = false, file: StaticString = #fileID,
        line: UInt = #line, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<Value> where Object == Model<R> {
        object.binding(field, isOptimistic: isOptimistic, file: file, line: line, onError: onError)
    }
}

/// Bindings to the properties of an object that is not `Sendable`, and so belongs to the host that updates the component.
///
/// Use them in updates, in handlers of updates such as `onAppear`, and in the components below. They keep the object alive. They
/// need their own name, because Swift does not choose between two subscripts by whether a class is `Sendable`.
///
/// - Precondition: the code that reads or sets such a binding runs on the host. Any other use stops the program.
@dynamicMemberLookup
public struct ConfinedBindings<Object: AnyObject> {
    private let confined: Confined<Object>

    init(_ object: Object, _ confinement: Confinement?) { confined = Confined(object, confinement) }

    /// Returns a binding to a property. Use it on the host only.
    public subscript<Value: Sendable>(
        dynamicMember path: any ReferenceWritableKeyPath<Object, Value> & Sendable
    ) -> Binding<Value> {
        let confined = confined
        let binding = Binding(parts: ObjectProperty(access: confined, path: path)) { body in
            confined.use { body(&$0[keyPath: path]) }
        }
        return binding.of(confined.source(of: path))
    }
}
