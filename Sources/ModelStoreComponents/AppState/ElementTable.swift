import LMDB

/// The observed elements of a value that changes as a whole, such as a state or a subject's value.
///
/// - `elements` is protected by its mutex.
final class ElementTable<Content: Sendable>: Sendable {
    private let watch = ElementWatch<Content>()
    private let elements = HandoverMutex(StateElements<Content>())

    /// Returns the element at a key path.
    func one<Value: Sendable>(at path: any KeyPath<Content, Value> & Sendable) -> StateElement<Content> {
        elements.withLock { $0.one(at: path) { StateElement(path) } }
    }

    /// Tracks the element at a key path by Observation. Call it before reading the value, so that a change between the two is
    /// reported.
    func track<Value: Sendable>(_ path: any KeyPath<Content, Value> & Sendable) {
        let element = one(at: path)
        _ = element.changes.value
        watch.note(element)
    }

    /// Returns all live elements. If they are taken together with the change of the value, no reader of the old value is missed.
    func all() -> [StateElement<Content>] { elements.withLock { $0.all() } }

    /// The number of stored elements. Released ones count until the next change.
    var count: Int { elements.withLock { $0.count } }
}
