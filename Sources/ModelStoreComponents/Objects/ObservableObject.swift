/// A class that the program defines and that components observe.
///
/// ```swift
/// final class Session: ObservableObject, Sendable {
///     @Published var user = "nobody"
/// }
/// let token = session.objectWillChange.observe { print("still \(session.user)") }
/// ```
///
/// A component that reads a ``Published()`` property, or any property that Observation tracks, updates when that property
/// changes. `objectWillChange.send { … }` updates every component that declares the object, whichever properties it reads.
///
/// Setting a published property notifies the observers of `objectWillChange`. It updates only the components that read the
/// property. The class that declares the property, or a superclass, must declare the conformance.
public protocol ObservableObject: AnyObject {
    /// Notifies observers when the object changes.
    ///
    /// By default, it is looked up by the object. A class that sends often can declare
    /// `let objectWillChange = ObjectWillChange()`.
    var objectWillChange: ObjectWillChange { get }
}

extension ObservableObject {
    /// The instance that belongs to this object.
    public var objectWillChange: ObjectWillChange { ObjectWillChanges.shared.one(of: self) }
}
