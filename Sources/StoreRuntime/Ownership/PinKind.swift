/// Why an object is kept alive.
public enum PinKind: String, Sendable, Codable, CaseIterable {
    /// A scope or an object that made it, or took it over.
    case owner
    /// Somebody who observes what something else owns: a subscription, an asynchronous sequence's iterator, a component.
    case borrower
    /// A write that was begun through it and is not committed yet.
    case pendingWrite
    /// A step that has changed it and has not told all observers yet.
    case delivery
}
