/// A class of a program's own that components observe.
///
/// ```swift
/// final class Session: ObservableObject, Sendable {
///     @Published var user = "nobody"
/// }
/// let token = session.objectWillChange.observe { print("still \(session.user)") }
/// ```
///
/// A component that reads a ``Published()`` property, or any property that Observation tracks, updates when that changes.
/// `objectWillChange.send()` updates every component that declares the object, whatever it reads of it.
///
/// Setting a published property tells the observers of `objectWillChange`, and updates no component that does not read the
/// property. The class that declares the property, or a superclass, must declare the conformance.
public protocol ObservableObject: AnyObject {
    /// Tells its observers that the object changes.
    ///
    /// By default it is looked up by the object; a class that sends often declares `let objectWillChange = ObjectWillChange()`.
    var objectWillChange: ObjectWillChange { get }
}

extension ObservableObject {
    /// The one that belongs to this object.
    public var objectWillChange: ObjectWillChange { ObjectWillChanges.shared.one(of: self) }
}
