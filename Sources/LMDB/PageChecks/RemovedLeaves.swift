/// The leaves that the deletions of a write transaction may have merged.
///
/// A deletion can merge its leaf with a neighbouring one, whose neighbour then becomes the neighbour of both. So a run of leaves,
/// in the order of the commit before, counts as one. Each deletion checks the leaf on either side of its run, and adds both to
/// it, because it may merge with one of them.
///
/// The runs are disjoint sets with path compression: R. E. Tarjan, "Efficiency of a Good But Not Linear Set Union Algorithm",
/// JACM 1975.
struct RemovedLeaves {
    /// The result of looking for the leaf before or after a leaf.
    enum Neighbour {
        case leaf(UInt64)
        /// There is none.
        case none
        /// The page with this number is damaged.
        case damage(UInt64)
    }

    /// The outermost leaves of a run; nil where the tree ends.
    private struct Run {
        var left: UInt64?
        var right: UInt64?
    }

    /// A leaf of the same run, or the leaf itself if it stands for the run.
    private var parents: [UInt64: UInt64] = [:]
    private var runs: [UInt64: Run] = [:]

    /// Notes a deletion in a leaf, and checks the leaves that it can reach.
    ///
    /// - Parameter neighbour: checks the leaf before (-1) or after (1) a leaf.
    /// - Returns: the number of a damaged page; nil if all are sound.
    mutating func reach(from leaf: UInt64, _ neighbour: (UInt64, Int) -> Neighbour) -> UInt64? {
        var root = find(leaf)
        for step in [-1, 1] {
            guard let edge = step < 0 ? runs[root]?.left : runs[root]?.right else { continue }
            switch neighbour(edge, step) {
            case .damage(let page): return page
            case .none:
                if step < 0 { runs[root]?.left = nil } else { runs[root]?.right = nil }
            case .leaf(let next): root = join(root, find(next), step)
            }
        }
        return nil
    }

    /// Returns the leaf that stands for the run of a leaf. A new leaf is a run of its own.
    private mutating func find(_ leaf: UInt64) -> UInt64 {
        guard var root = parents[leaf] else {
            parents[leaf] = leaf
            runs[leaf] = Run(left: leaf, right: leaf)
            return leaf
        }
        while let next = parents[root], next != root { root = next }
        var current = leaf
        while current != root, let next = parents[current] {
            parents[current] = root
            current = next
        }
        return root
    }

    /// Joins two neighbouring runs.
    private mutating func join(_ root: UInt64, _ other: UInt64, _ step: Int) -> UInt64 {
        guard root != other, let own = runs[root], let its = runs.removeValue(forKey: other) else { return root }
        parents[other] = root
        runs[root] = step < 0 ? Run(left: its.left, right: own.right) : Run(left: own.left, right: its.right)
        return root
    }
}
