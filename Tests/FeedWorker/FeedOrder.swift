import ModelStore

/// The order in which a feed must deliver the items of lanes: each change set once, and each number of a lane after the one
/// before.
struct FeedOrder {
    /// The last item of each lane.
    private(set) var lasts: [String: Int] = [:]
    private var reached: UInt64 = 0
    /// Whether the feed was read from its first change set. Otherwise, the first item of a lane may have any number.
    private var isWhole = false

    /// A violation of the feed's rules.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    init() {}

    /// Continues after a change set.
    ///
    /// - Parameter lasts: The lanes, each as `NAME=NUMBER`.
    init?(after position: Position, lasts: some Sequence<String>) {
        reached = position.sequence
        for text in lasts {
            let parts = text.split(separator: "=")
            guard parts.count == 2, let number = Int(parts[1]) else { return nil }
            self.lasts[String(parts[0])] = number
        }
    }

    /// Takes the next change set, and returns its changes of items.
    ///
    /// - Throws: ``Fault`` if it is not the next one.
    mutating func add(_ set: ChangeSet) throws -> [Change<Item>] {
        guard reached == 0 || set.sequence == reached + 1 else {
            throw Fault(description: "change set \(set.sequence) came after \(reached)")
        }
        if set.sequence == 1 { isWhole = true }
        reached = set.sequence
        let changes = try set.changes(of: Item.self)
        for change in changes {
            guard let item = change.after,
                item.number == (lasts[item.lane] ?? (isWhole ? 0 : item.number - 1)) + 1
            else {
                throw Fault(description: "\(change.id) came after \(lasts)")
            }
            lasts[item.lane] = item.number
        }
        return changes
    }
}
