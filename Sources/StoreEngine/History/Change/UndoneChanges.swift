/// The changes that are to be undone: of a change set in memory, or of one in the feed.
///
/// Undoing goes through them more than once. Those in the feed are read in parts each time, so that a large change set takes
/// memory for one part.
struct UndoneChanges {
    /// The most changes in a part.
    static let changesPerPart = 512

    private enum Source {
        case memory([FeedChange])
        case feed(after: Position, changesPerPart: Int)
    }

    /// What messages call them.
    let name: String
    private let source: Source

    /// The changes of a change set at hand.
    init(_ changeSet: ChangeSet) {
        source = .memory(changeSet.changes.map(\.change))
        name = changeSet.name
    }

    /// The changes of the change set after a position.
    init(after position: Position, changesPerPart: Int) {
        source = .feed(after: position, changesPerPart: changesPerPart)
        name = "change set \(position.sequence + 1)"
    }

    /// Goes through the changes from the first.
    func makePass() -> Pass {
        switch source {
        case .memory(let changes): Pass(held: changes)
        case .feed(let position, let count): Pass(walk: FeedWalk(after: position), changesPerPart: count)
        }
    }

    /// One way through the changes.
    struct Pass {
        private var held: [FeedChange]?
        private var walk: FeedWalk?
        private var changesPerPart = 0

        fileprivate init(held: [FeedChange]) { self.held = held }

        fileprivate init(walk: FeedWalk, changesPerPart: Int) {
            self.walk = walk
            self.changesPerPart = changesPerPart
        }

        /// The next changes; nil at the end.
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
    /// What messages call it.
    var name: String {
        firstSequence == sequence ? "change set \(sequence)" : "change sets \(firstSequence) to \(sequence)"
    }
}
