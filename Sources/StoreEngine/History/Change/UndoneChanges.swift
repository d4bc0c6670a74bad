/// The changes to undo, from a change set in memory or in the feed.
///
/// Undo iterates over them more than once. It reads those in the feed in parts each time, so that even a large change set takes
/// memory for only one part.
struct UndoneChanges {
    /// The maximum number of changes in a part.
    static let changesPerPart = 512

    private enum Source {
        case memory(Part)
        case feed(after: Position, changesPerPart: Int)
    }

    /// Consecutive changes.
    struct Part {
        let changes: [FeedChange]
        /// Whether a migration made them.
        let isMigration: Bool

        /// For the index of each insert that replaces a record, the index of the delete of that record.
        var replacedIndexes: [Int: Int] { isMigration ? Replacement.sources(in: changes) : [:] }
    }

    /// The name of the changes in messages.
    let name: String
    private let source: Source

    /// Takes the changes of a change set in memory.
    init(_ changeSet: ChangeSet) {
        source = .memory(Part(changes: changeSet.changes.map(\.change), isMigration: changeSet.kind.isMigration))
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
        case .memory(let part): Pass(held: part)
        case .feed(let position, let count): Pass(walk: FeedWalk(after: position), changesPerPart: count)
        }
    }

    /// One pass over the changes.
    struct Pass {
        private var held: Part?
        private var walk: FeedWalk?
        private var changesPerPart = 0

        fileprivate init(held: Part) { self.held = held }

        fileprivate init(walk: FeedWalk, changesPerPart: Int) {
            self.walk = walk
            self.changesPerPart = changesPerPart
        }

        /// Returns the next changes; nil at the end.
        ///
        /// - Throws: ``StoreError`` with the code `damaged`.
        mutating func next(_ scope: ReadContext) throws(StoreError) -> Part? {
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
            return Part(changes: parts.flatMap(\.changes), isMigration: last.header.origin.kind.isMigration)
        }
    }
}

extension ChangeSet {
    /// The name of the change set in messages.
    var name: String {
        firstSequence == sequence ? "change set \(sequence)" : "change sets \(firstSequence) to \(sequence)"
    }
}
