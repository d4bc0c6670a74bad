import StoreEngine
import StoreRuntime

/// The identity of a received sequence: the id that the component gave, and the object whose values the sequence has.
struct ReceiverID {
    private let id: AnyHashable
    /// Whether the sequence is of an object.
    private let hasSource: Bool
    private weak let source: AnyObject?

    init<S: AsyncSequence>(_ id: AnyHashable, _ sequence: S) {
        self.id = id
        let sourced = sequence as? any SourcedSequence
        hasSource = sourced != nil
        source = sourced?.source
    }

    /// Whether both stand for one sequence. One whose object is gone stands for no other: a new object may have its address.
    func isSame(as other: ReceiverID) -> Bool {
        guard hasSource == other.hasSource, Sameness.areSameIDs(id, other.id) else { return false }
        return !hasSource || source != nil && source === other.source
    }
}
