/// A way through a tree from its root to a leaf, with the bounds of the keys on each page.
@safe
struct TreePath {
    @safe
    struct Step {
        var slot: MappedPageSlot
        /// The bounds of all keys on the page.
        let bounds: KeyBounds
    }

    /// From the root.
    private(set) var steps: [Step] = []

    mutating func removeAll() { steps.removeAll(keepingCapacity: true) }

    mutating func removeLast() { steps.removeLast() }

    mutating func append(_ step: Step) { steps.append(step) }

    /// Moves the last step to a neighbouring entry; returns false if there is none.
    mutating func move(by step: Int) -> Bool { steps[steps.count - 1].slot.move(by: step) }

    /// The number of the leaf; nil if the way is empty.
    var leafNumber: UInt64? { steps.last?.slot.pageNumber }
}
