public import StoreEngine
public import StoreRuntime

/// Bindings to the properties of an object: `$session.user`, `$sensor.celsius`.
@dynamicMemberLookup
public struct ObjectBindings<Object: AnyObject> {
    private let object: Object

    init(_ object: Object) { self.object = object }

    /// A binding to a property of an object that can be used from any thread. It keeps the object alive.
    public subscript<Value: Sendable>(
        dynamicMember path: any ReferenceWritableKeyPath<Object, Value> & Sendable
    ) -> Binding<Value> where Object: Sendable {
        let object = object
        return Binding(get: { object[keyPath: path] }, update: { body in body(&object[keyPath: path]) })
    }

    /// A binding to a field of a model; see ``Model/binding(_:isOptimistic:file:line:onError:)``.
    public subscript<R: Record, Value: Sendable>(
        dynamicMember field: KeyPath<R.Fields, Field<R, Value>>
    ) -> Binding<Value> where Object == Model<R> { object.binding(field) }
}
