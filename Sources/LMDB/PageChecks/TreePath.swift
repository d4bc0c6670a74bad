/// A way through a tree from its root to a leaf, with the bounds of the keys below each entry.
@safe
final class TreePath {
    @safe
    struct Step {
        var slot: MappedPageSlot
        /// The bounds of all keys on the page.
        var bounds: KeyBounds
    }

    /// From the root.
    private(set) var steps: [Step] = []

    init() { steps.reserveCapacity(8) }

    func removeAll() { steps.removeAll(keepingCapacity: true) }

    func removeLast() { steps.removeLast() }

    func append(_ step: Step) { steps.append(step) }

    /// Moves the last step to a neighbouring entry; returns false if there is none.
    func move(by step: Int) -> Bool { steps[steps.count - 1].slot.move(by: step) }
}
