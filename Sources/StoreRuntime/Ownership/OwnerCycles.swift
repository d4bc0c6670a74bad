/// Finds registered owners that keep each other alive: a depth-first search that looks for edges back to its own path.
///
/// The order of the nodes decides which cycles it finds. In each group of connected cycles, it finds at least one.
///
/// - Complexity: linear in the number of edges.
struct OwnerCycles<Node: Hashable> {
    private let edges: [Node: [Node]]
    private var isDone: Set<Node> = []
    private var found: [[Node]] = []

    /// Returns the cycles: the nodes along each, with the first one again at its end.
    static func find(_ edges: [Node: [Node]], from starts: [Node]) -> [[Node]] {
        var search = OwnerCycles(edges: edges)
        for start in starts { search.walk(start) }
        return search.found
    }

    private init(edges: [Node: [Node]]) { self.edges = edges }

    private mutating func walk(_ start: Node) {
        guard !isDone.contains(start) else { return }
        // Not recursive, because chains of owners may be long.
        var path: [(node: Node, next: Int)] = [(start, 0)]
        var depths: [Node: Int] = [start: 0]
        while let (node, next) = path.last {
            guard let targets = edges[node], next < targets.count else {
                isDone.insert(node)
                depths[node] = nil
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let target = targets[next]
            if let depth = depths[target] {
                found.append(path[depth...].map(\.node) + [target])
            } else if !isDone.contains(target) {
                depths[target] = path.count
                path.append((target, 0))
            }
        }
    }
}
