/// A place in a tree with the component that is placed there.
final class TypedNode<C: Component>: Node {
    /// Nil once the place has ended.
    private var component: C?
    /// The id that the parent passed.
    private let key: AnyHashable?

    init(
        _ component: C, _ id: UInt64, key: AnyHashable?, parent: Node?, in tree: Tree,
        _ line: (file: StaticString, line: UInt)
    ) {
        self.component = component
        self.key = key
        super.init(id, parent: parent, in: tree, line)
    }

    override var name: String { key.map { "\(C.self)[\($0)]" } ?? "\(C.self)" }

    /// Takes a newer value.
    ///
    /// - Returns: whether the component needs an update because of it.
    func become(_ new: C) -> Bool {
        noteDescription()
        // Kept even if it is equal, because the next update, whatever its cause, uses what `==` leaves out.
        defer { component = new }
        // A failed update is tried again with each value.
        guard let component, !hasFailed, !isReplaced else { return true }
        return !tree.comparison(of: C.self)(component, new)
    }

    override func run(_ context: inout ComponentContext) throws {
        var slots = DynamicPropertyVisitor(self)
        component?._visit(&slots)
        if hasFailed || isPostponed { return }
        try component?.update(&context)
    }

    override func forgetComponent() { component = nil }
}
