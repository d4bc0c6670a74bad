/// Why an object is kept alive.
public enum PinKind: String, Sendable, Codable, CaseIterable {
    /// A scope or an object created the object, or took it over.
    case owner
    /// A subscription, the iterator of an asynchronous sequence, or a component observes an object that something else owns.
    case borrower
    /// A write through the object was begun, and is not committed yet.
    case pendingWrite
    /// Code has yet to deliver a change of the object, such as a program's own queue, which takes this pin. The library's steps
    /// take none: they keep the updates to deliver, not the model.
    case delivery
}
