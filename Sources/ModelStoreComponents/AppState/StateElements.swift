/// The elements of a state that somebody observes, by their key paths. They are not kept by it.
struct StateElements<Content: Sendable> {
    private struct Reference {
        weak var element: StateElement<Content>?
    }

    private var references: [AnyKeyPath: Reference] = [:]
    /// At how many those that have gone are looked for.
    private var limit = 64

    /// How many are noted, with those that have gone since that was looked at.
    var count: Int { references.count }

    /// The one at a key path.
    mutating func one(at path: AnyKeyPath, _ make: () -> StateElement<Content>) -> StateElement<Content> {
        if let known = references[path]?.element { return known }
        let new = make()
        if references.count >= limit { forgetGone() }
        references[path] = Reference(element: new)
        return new
    }

    /// Those that there are. Linear in their number.
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
