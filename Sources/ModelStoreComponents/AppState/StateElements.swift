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

/// The observed elements of a value, by their key paths. The references are weak.
struct StateElements<Content: Sendable> {
    private struct Reference {
        weak var element: StateElement<Content>?
    }

    private var references: [AnyKeyPath: Reference] = [:]
    /// The number of entries at which released elements are removed.
    private var limit = 64

    /// The number of entries. It includes elements that were released since the last cleanup.
    var count: Int { references.count }

    /// Returns the element at a key path, and creates it if there is none.
    mutating func one(at path: AnyKeyPath, _ make: () -> StateElement<Content>) -> StateElement<Content> {
        if let known = references[path]?.element { return known }
        let new = make()
        if references.count >= limit { forgetGone() }
        references[path] = Reference(element: new)
        return new
    }

    /// Returns all live elements. Linear in their number.
    mutating func all() -> [StateElement<Content>] {
        let living = references.values.compactMap(\.element)
        if living.count < references.count { forgetGone() }
        return living
    }

    private mutating func forgetGone() {
        references = references.filter { $0.value.element != nil }
        limit = max(64, references.count * 2)
    }
}
