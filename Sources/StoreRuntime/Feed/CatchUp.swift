public import StoreEngine

/// What changed since a position, also where change sets after it have left the feed: the net difference by record, and then
/// each change set as ``ChangeFeed`` gives it, without a gap or double: an asynchronous sequence that has no end of its own.
///
/// Where all change sets after the position are retained, it gives `ready` and then those. Else the records that changed come
/// first, in parts, each as it is when its part is read; no snapshot is held between two. A record usually comes once; it comes
/// again when it changes meanwhile, and may when there are more than 100,000. After `ready`, whoever has put each row in
/// its place and taken away what is absent has all records as they were at that position. A reader so slow that change sets
/// leave the feed before it has taken them is told a difference again, and `ready` after it.
///
/// The iterator throws and ends as that of ``ChangeFeed``: `positionCompacted` when the store remembers nothing from so far back
/// (``StoreLimits/changedRecordLimit``); ``StoreError/oldestComparablePosition`` tells how far it does.
public struct CatchUp: AsyncSequence, Sendable {
    /// What the sequence gives.
    public enum Element: Sendable {
        /// Records that changed, and how they are now.
        case difference(FeedDifference)
        /// All records that changed up to a position have been given. Go on from here after an interruption.
        case ready(Position)
        /// A change set, or a part of one.
        case commit(ChangeSet)
    }

    let store: Store
    let position: Position
    let options: FeedOptions

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads the difference and the feed.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start(Position)
            case difference
            /// The last part of the difference was given, and ended there.
            case ready(Position)
            case tail
        }

        private let store: Store
        private let options: FeedOptions
        private var phase: Phase
        // Both are changed in their place: a copy would copy all that they remember and have read ahead.
        private var walk: TrailWalk?
        private var tail: FeedTail?
        private var filters: (version: UInt64, filters: FeedFilters)?
        private var end = CancelledEnd()

        init(sequence: CatchUp) {
            store = sequence.store
            options = sequence.options
            phase = .start(sequence.position)
        }

        /// The next element; waits for it. Nil once the task is cancelled.
        public mutating func next() async throws -> Element? {
            while !end.hasCome {
                switch phase {
                case .start(let position): try begin(after: position)
                case .difference:
                    if let part = try readPart() { return .difference(part) }
                case .ready(let position):
                    walk = nil
                    tail = FeedTail(store, after: position, options)
                    phase = .tail
                    return .ready(position)
                case .tail:
                    if let set = try nextChangeSet() { return .commit(set) }
                    if case .tail = phase { _ = try await tail?.wait() }
                }
            }
            return nil
        }

        private mutating func begin(after position: Position) throws {
            let transaction = try store.beginRead()
            let scope = transaction._reading
            do {
                try scope.requireResumable(position)
                phase = .ready(position)
            } catch let error where error.code == .positionCompacted {
                try scope.requireDifference(since: position)
                walk = TrailWalk(since: position)
                phase = .difference
            }
        }

        /// The next part of the difference; nil where it has nothing that is wanted.
        private mutating func readPart() throws -> FeedDifference? {
            let transaction = try store.beginRead()
            let scope = transaction._reading
            let filters = try readyFilters(scope.state)
            guard let part = try walk?.read(scope, limit: options.changesPerPart, filters) else { return nil }
            if let end = part.end { phase = .ready(end) }
            return part.difference.records.isEmpty && !options.reportsProgress ? nil : part.difference
        }

        private mutating func nextChangeSet() throws -> ChangeSet? {
            do {
                return try tail?.next()
            } catch let error as StoreError where error.code == .positionCompacted {
                guard let position = tail?.readPosition else { throw error }
                // Where that cannot be told either, its error says so.
                phase = .start(position)
                return nil
            }
        }

        private mutating func readyFilters(_ state: StoreState) throws -> FeedFilters? {
            if options.filters.isEmpty { return nil }
            if let filters, filters.version == state.catalog.version { return filters.filters }
            let made = try FeedFilters(options.filters, state.catalog)
            filters = (state.catalog.version, made)
            return made
        }
    }
}
