/// The changes to undo, from a change set in memory or in the feed.
///
/// Undo iterates over them more than once. It reads those in the feed in parts each time, so that even a large change set takes
/// memory for only one part.
struct UndoneChanges {
    /// The maximum number of changes in a part.
    static let changesPerPart = 512

    private enum Source {
        case memory([FeedChange])
        case feed(after: Position, changesPerPart: Int)
    }

    /// The name of the changes in messages.
    let name: String
    private let source: Source

    /// Takes the changes of a change set in memory.
    init(_ changeSet: ChangeSet) {
        source = .memory(changeSet.changes.map(\.change))
        name = changeSet.name
    }

    /// Takes the changes of the change set after a position.
    init(after position: Position, changesPerPart: Int) {
        source = .feed(after: position, changesPerPart: changesPerPart)
        name = "change set \(position.sequence + 1)"
    }

    /// Begins a pass over the changes, from the first one.
    func makePass() -> Pass {
        switch source {
        case .memory(let changes): Pass(held: changes)
        case .feed(let position, let count): Pass(walk: FeedWalk(after: position), changesPerPart: count)
        }
    }

    /// One pass over the changes.
    struct Pass {
        private var held: [FeedChange]?
        private var walk: FeedWalk?
        private var changesPerPart = 0

        fileprivate init(held: [FeedChange]) { self.held = held }

        fileprivate init(walk: FeedWalk, changesPerPart: Int) {
            self.walk = walk
            self.changesPerPart = changesPerPart
        }

        /// Returns the next changes; nil at the end.
        ///
        /// - Throws: ``StoreError`` with the code `damaged`.
        mutating func next(_ scope: ReadContext) throws(StoreError) -> [FeedChange]? {
            if let held {
                self.held = nil
                return held
            }
            guard let parts = try walk?.read(scope, FeedWalk.Limits(changes: changesPerPart, changeSets: 1)) else {
                return nil
            }
            guard let last = parts.last else {
                throw StoreError(
                    .damaged, "a change set of the feed ends before its last change", remedy: "run `store-cli verify`")
            }
            if last.isLast { walk = nil }
            return parts.flatMap(\.changes)
        }
    }
}

extension ChangeSet {
    /// The name of the change set in messages.
    var name: String {
        firstSequence == sequence ? "change set \(sequence)" : "change sets \(firstSequence) to \(sequence)"
    }
}
