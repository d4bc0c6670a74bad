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
