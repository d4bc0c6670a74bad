/// A sequence of the values of one object. Two such sequences are distinguished by their objects.
package protocol SourcedSequence {
    /// The object; nil after it was released.
    var source: AnyObject? { get }
}

extension ModelValues: SourcedSequence {
    package var source: AnyObject? { model }
}

extension ModelChanges: SourcedSequence {
    package var source: AnyObject? { model }
}
