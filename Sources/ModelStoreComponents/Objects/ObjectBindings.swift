public import StoreEngine
public import StoreRuntime

/// Bindings to the properties of an object: `$session.user`, `$sensor.celsius`, `$sensor.binding(\.celsius) { error in … }`.
@dynamicMemberLookup
public struct ObjectBindings<Object: AnyObject> {
    private let object: Object
    /// That of the wrapped property.
    private let line: (file: StaticString, line: UInt)

    init(_ object: Object, _ line: (file: StaticString, line: UInt)) {
        self.object = object
        self.line = line
    }

    /// A binding to a property of an object that can be used from any thread. It keeps the object alive.
    public subscript<Value: Sendable>(
        dynamicMember path: any ReferenceWritableKeyPath<Object, Value> & Sendable
    ) -> Binding<Value> where Object: Sendable {
        let object = object
        return Binding(get: { object[keyPath: path] }, update: { body in body(&object[keyPath: path]) })
    }

    /// A binding to a field of a model: setting it queues a transaction of one field. The first one for the property's line that
    /// fails is told as a notice; ``binding(_:isOptimistic:file:line:onError:)`` has each of them told.
    public subscript<R: Record, Value: Sendable>(
        dynamicMember field: KeyPath<R.Fields, Field<R, Value>>
    ) -> Binding<Value> where Object == Model<R> { object.binding(field, file: line.file, line: line.line) }

    /// A binding to a field of a model, which may show what is set at once, and tells what fails; as
    /// ``Model/binding(_:isOptimistic:file:line:onError:)``.
    public func binding<R: Record, Value: Sendable>(
        _ field: KeyPath<R.Fields, Field<R, Value>>, isOptimistic: Bool = false, file: StaticString = #fileID,
        line: UInt = #line, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<Value> where Object == Model<R> {
        object.binding(field, isOptimistic: isOptimistic, file: file, line: line, onError: onError)
    }
}
