/// A set of key ranges, each with a number, that changes often. Finding the ranges that contain a key takes logarithmic time,
/// plus time for each range found.
///
/// The tree is a treap ordered by the ranges' lower bounds. Each node knows the greatest upper bound in its subtree. A fixed
/// mixing function makes the priorities from the nodes' array positions, so the same calls always build the same tree.
struct IntervalTree: Sendable {
    private struct Node {
        var lower: [UInt8]
        var upper: [UInt8]?
        /// The first bytes of both bounds. They decide most comparisons.
        var lowerWord: UInt64
        var upperWord: UInt64
        var value: Int32
        var left: Int32 = -1
        var right: Int32 = -1
        /// The node with the greatest upper bound in this subtree.
        var greatest: Int32
        var priority: UInt32
    }

    private var nodes: [Node] = []
    private var free: [Int32] = []
    private var root: Int32 = -1

    /// The number of ranges.
    var count: Int { nodes.count - free.count }

    /// Adds a range. The same range may be added several times, with different numbers.
    mutating func insert(_ range: KeyRange, _ value: Int32) {
        let nodeIndex: Int32
        var node = Node(
            lower: range.lower, upper: range.upper, lowerWord: range.lower.leadingWord,
            upperWord: range.upper?.leadingWord ?? .max, value: value, greatest: 0, priority: 0)
        if let reused = free.popLast() {
            nodeIndex = reused
        } else {
            nodeIndex = Int32(nodes.count)
            nodes.append(node)
        }
        node.greatest = nodeIndex
        node.priority = Self.mixed(UInt32(nodeIndex))
        nodes[Int(nodeIndex)] = node
        root = inserted(nodeIndex, into: root)
    }

    /// Removes a range that was added with this number.
    mutating func remove(_ range: KeyRange, _ value: Int32) {
        root = removed(range, value, from: root)
    }

    /// Calls `body` with the number of each range that contains a key.
    func forEach(holding key: [UInt8], _ body: (Int32) -> Void) {
        if root >= 0 { visit(root, key, key.leadingWord, body) }
    }

    private func visit(_ nodeIndex: Int32, _ key: [UInt8], _ word: UInt64, _ body: (Int32) -> Void) {
        var nodeIndex = nodeIndex
        while nodeIndex >= 0, endsAfter(Int(nodes[Int(nodeIndex)].greatest), key, word) {
            let index = Int(nodeIndex)
            if nodes[index].left >= 0 { visit(nodes[index].left, key, word, body) }
            guard beginsAtOrBefore(index, key, word) else { return }
            if endsAfter(index, key, word) { body(nodes[index].value) }
            nodeIndex = nodes[index].right
        }
    }

    private func endsAfter(_ index: Int, _ key: [UInt8], _ word: UInt64) -> Bool {
        let own = nodes[index].upperWord
        if own != word, own != .max { return own > word }
        guard let upper = nodes[index].upper else { return true }
        return upper.compared(to: key) > 0
    }

    private func beginsAtOrBefore(_ index: Int, _ key: [UInt8], _ word: UInt64) -> Bool {
        let own = nodes[index].lowerWord
        if own != word { return own < word }
        return nodes[index].lower.compared(to: key) <= 0
    }

    /// Checks that the tree is ordered, a heap by priority, and that each node knows the greatest upper end below it. Tests call
    /// it; it is empty in release builds.
    ///
    /// - Complexity: O(n)
    func _checkInvariants() {
        #if DEBUG
        var last: Int?
        let reached = checkSubtree(root, last: &last)
        precondition(reached == count, "the tree reaches \(reached) of \(count) runs")
        #endif
    }

    #if DEBUG
    /// Checks the nodes of a subtree in order, and returns how many there are.
    private func checkSubtree(_ tree: Int32, last: inout Int?) -> Int {
        guard tree >= 0 else { return 0 }
        let index = Int(tree)
        let node = nodes[index]
        let left = checkSubtree(node.left, last: &last)
        if let last { precondition(isLess(last, index), "node \(index) is not behind node \(last)") }
        last = index
        let right = checkSubtree(node.right, last: &last)
        var greatest = tree
        for child in [node.left, node.right] where child >= 0 {
            precondition(
                nodes[Int(child)].priority <= node.priority,
                "node \(child) has a higher priority than its parent \(index)")
            greatest = greater(greatest, below: child)
        }
        precondition(
            !endsBefore(Int(node.greatest), Int(greatest)) && !endsBefore(Int(greatest), Int(node.greatest)),
            "node \(index) knows \(node.greatest) as the greatest end, it is \(greatest)")
        precondition(node.lowerWord == node.lower.leadingWord, "node \(index) has the wrong beginning of its lower end")
        return left + 1 + right
    }
    #endif

    // MARK: The treap

    private mutating func inserted(_ nodeIndex: Int32, into tree: Int32) -> Int32 {
        if tree < 0 { return nodeIndex }
        let (new, old) = (Int(nodeIndex), Int(tree))
        if nodes[new].priority > nodes[old].priority {
            let (left, right) = split(tree, before: nodeIndex)
            nodes[new].left = left
            nodes[new].right = right
            update(new)
            return nodeIndex
        }
        if isLess(new, old) {
            nodes[old].left = inserted(nodeIndex, into: nodes[old].left)
        } else {
            nodes[old].right = inserted(nodeIndex, into: nodes[old].right)
        }
        update(old)
        return tree
    }

    /// Splits a tree into the nodes that come before another node and those that come after it.
    private mutating func split(_ tree: Int32, before nodeIndex: Int32) -> (Int32, Int32) {
        if tree < 0 { return (-1, -1) }
        let index = Int(tree)
        if isLess(index, Int(nodeIndex)) {
            let (left, right) = split(nodes[index].right, before: nodeIndex)
            nodes[index].right = left
            update(index)
            return (tree, right)
        }
        let (left, right) = split(nodes[index].left, before: nodeIndex)
        nodes[index].left = right
        update(index)
        return (left, tree)
    }

    private mutating func removed(_ range: KeyRange, _ value: Int32, from tree: Int32) -> Int32 {
        if tree < 0 { return tree }
        let index = Int(tree)
        let order = order(range.lower, value, index)
        if order == 0 {
            let rest = merged(nodes[index].left, nodes[index].right)
            nodes[index].lower = []
            nodes[index].upper = nil
            free.append(tree)
            return rest
        }
        if order < 0 {
            nodes[index].left = removed(range, value, from: nodes[index].left)
        } else {
            nodes[index].right = removed(range, value, from: nodes[index].right)
        }
        update(index)
        return tree
    }

    private mutating func merged(_ left: Int32, _ right: Int32) -> Int32 {
        if left < 0 { return right }
        if right < 0 { return left }
        if nodes[Int(left)].priority > nodes[Int(right)].priority {
            nodes[Int(left)].right = merged(nodes[Int(left)].right, right)
            update(Int(left))
            return left
        }
        nodes[Int(right)].left = merged(left, nodes[Int(right)].left)
        update(Int(right))
        return right
    }

    private mutating func update(_ index: Int) {
        var greatest = greater(Int32(index), below: nodes[index].left)
        greatest = greater(greatest, below: nodes[index].right)
        nodes[index].greatest = greatest
    }

    private func greater(_ greatest: Int32, below child: Int32) -> Int32 {
        guard child >= 0 else { return greatest }
        let other = nodes[Int(child)].greatest
        return endsBefore(Int(greatest), Int(other)) ? other : greatest
    }

    private func endsBefore(_ left: Int, _ right: Int) -> Bool {
        guard let upper = nodes[left].upper else { return false }
        guard let other = nodes[right].upper else { return true }
        if nodes[left].upperWord != nodes[right].upperWord { return nodes[left].upperWord < nodes[right].upperWord }
        return upper.compared(to: other) < 0
    }

    private func isLess(_ left: Int, _ right: Int) -> Bool { order(nodes[left].lower, nodes[left].value, right) < 0 }

    /// Returns how a lower bound and a number compare with those of a node.
    private func order(_ lower: [UInt8], _ value: Int32, _ index: Int) -> Int {
        let order = lower.compared(to: nodes[index].lower)
        return order != 0 ? order : Int(value) - Int(nodes[index].value)
    }

    private static func mixed(_ nodeIndex: UInt32) -> UInt32 {
        var word = UInt64(nodeIndex) &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: word ^ word >> 31)
    }
}
