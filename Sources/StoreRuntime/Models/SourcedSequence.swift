/// A sequence of the values of one object, by which two such sequences are told apart.
package protocol SourcedSequence {
    /// The object; nil once it is gone.
    var source: AnyObject? { get }
}

extension ModelValues: SourcedSequence {
    package var source: AnyObject? { model }
}

extension ModelChanges: SourcedSequence {
    package var source: AnyObject? { model }
}
