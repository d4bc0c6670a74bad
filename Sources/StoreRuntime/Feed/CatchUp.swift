public import StoreEngine

/// The changes since a position, also when change sets after it have left the feed. An asynchronous sequence that has no end of
/// its own.
///
/// If change sets after the position have left the feed, the sequence first delivers the net difference by record, in parts. Then
/// it delivers `ready`, and then each change set as ``ChangeFeed`` does, without gaps or duplicates. If all change sets after the
/// position are retained, it begins with `ready`.
///
/// Store each row of the difference, and remove each record that is absent. After `ready`, you have all records as they were at
/// that position.
///
/// Each part shows its records as they are when the part is read; the sequence holds no snapshot between two parts. A record
/// usually comes once. It comes again if it changes meanwhile, and may come again if there are more than 100,000 records. If a
/// reader is so slow that change sets leave the feed before it takes them, it receives another difference, and `ready` after it.
///
/// The iterator throws and ends as that of ``ChangeFeed`` does. It throws `positionCompacted` when the store remembers no changes
/// from so far back (``StoreLimits/changedRecordLimit``); ``StoreError/oldestComparablePosition`` is the oldest position that it
/// can compare.
public struct CatchUp: AsyncSequence, Sendable {
    /// An element of the sequence.
    public enum Element: Sendable {
        /// Records that changed, as they are now.
        case difference(FeedDifference)
        /// All records that changed up to a position were delivered. After an interruption, continue from here.
        case ready(Position)
        /// A change set, or a part of one.
        case commit(ChangeSet)
    }

    let store: Store
    let position: Position
    let options: FeedOptions

    /// Creates an independent reader.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads the difference and the feed.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start(Position)
            case difference
            /// The last part of the difference was delivered, and ended at this position.
            case ready(Position)
            case tail
        }

        private let store: Store
        private let options: FeedOptions
        private var phase: Phase
        // Both are changed in place: a copy would copy everything that they remember and have read ahead.
        private var walk: TrailWalk?
        private var tail: FeedTail?
        private var filters: (version: UInt64, filters: FeedFilters)?
        private var end = CancelledEnd()

        init(sequence: CatchUp) {
            store = sequence.store
            options = sequence.options
            phase = .start(sequence.position)
        }

        /// Waits for the next element and returns it. Returns nil once the task is cancelled.
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
            try options.check()
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

        /// Returns the next part of the difference; nil if none of its records is wanted.
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
                // If the store cannot compare that position either, its error says so.
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
