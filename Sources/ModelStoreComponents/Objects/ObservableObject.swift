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
///
/// The type of `objectWillChange` is always ``ObjectWillChange``. The compiler rejects a class that declares it with another
/// type, such as a `PassthroughSubject` of OpenCombine. A generic function that uses it needs
/// `where Object.ObjectWillChangePublisher == ObjectWillChange`.
public protocol ObservableObject: AnyObject {
    /// The type of ``objectWillChange``.
    associatedtype ObjectWillChangePublisher = ObjectWillChange

    /// Notifies observers when the object changes.
    ///
    /// By default, it is looked up by the object. A class that sends often can declare
    /// `let objectWillChange = ObjectWillChange()`.
    var objectWillChange: ObjectWillChangePublisher { get }

    /// The same. A class with an `objectWillChange` of another type would have none, so it does not compile.
    var _objectWillChange: ObjectWillChange { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObjectWillChange {
    /// The instance that belongs to this object.
    public var objectWillChange: ObjectWillChange { ObjectWillChanges.shared.one(of: self) }

    /// The same instance.
    public var _objectWillChange: ObjectWillChange { objectWillChange }
}

extension ObservableObject {
    /// Makes an ``objectWillChange`` of another type an error.
    @available(*, unavailable, message: "declare 'let objectWillChange = ObjectWillChange()', or leave it out")
    public var _objectWillChange: ObjectWillChange { preconditionFailure("unavailable") }
}
