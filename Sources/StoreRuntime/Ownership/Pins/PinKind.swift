/// Why an object is kept alive.
public enum PinKind: String, Sendable, Codable, CaseIterable {
    /// A scope or an object that made it, or took it over.
    case owner
    /// Somebody who observes what something else owns: a subscription, an asynchronous sequence's iterator, a component.
    case borrower
    /// A write that was begun through it and is not committed yet.
    case pendingWrite
    /// Somebody who has yet to hand on a change of it, such as a queue of a program's own, which pins it so. The library's steps
    /// take none: they keep what they have to tell, not the model.
    case delivery
}
