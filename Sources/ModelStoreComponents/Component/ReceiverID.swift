import StoreEngine
import StoreRuntime

/// The identity of a received sequence: the id that the component passed, and the object whose values the sequence delivers.
struct ReceiverID {
    private let id: AnyHashable
    /// Whether the sequence belongs to an object.
    private let hasSource: Bool
    private weak let source: AnyObject?

    init<S: AsyncSequence>(_ id: AnyHashable, _ sequence: S) {
        self.id = id
        let sourced = sequence as? any SourcedSequence
        hasSource = sourced != nil
        source = sourced?.source
    }

    /// Returns whether both identify one sequence. A sequence whose object was released matches no other, because a new object
    /// may have the same address.
    func isSame(as other: ReceiverID) -> Bool {
        guard hasSource == other.hasSource, Sameness.areSameIDs(id, other.id) else { return false }
        return !hasSource || source != nil && source === other.source
    }
}
