public import StoreEngine

/// The records of a type and then every change to them, without a gap in between. An asynchronous sequence.
///
/// Rows are read in chunks, each from a snapshot of its own, so that no snapshot is held for long. Between two chunks, the
/// sequence delivers the changes that were committed meanwhile to rows delivered before. A reader that applies the elements in
/// order has, at each element's position, all rows delivered so far as they were at that position. After `ready` it has all rows.
///
/// After a reset (a program other than ModelStore wrote), the sequence starts over with ``Element/restart``.
///
/// The iterator throws and ends as that of ``ChangeFeed`` does.
public struct RecordsAndChanges<R: Record>: AsyncSequence, Sendable {
    /// An element of the sequence.
    public enum Element: Sendable {
        /// Further rows in the order of their ids, as of a position. Ids of more than 239 bytes that begin alike come in any
        /// order.
        case rows([R], Position)
        /// All rows that existed at a position were delivered.
        case ready(Position)
        /// A change set, or a part of one, with its changes to rows delivered before; after `ready`, with its changes to any row.
        /// It has no changes if the options ask for progress and no change is wanted, or if the ids of its changes do not fit
        /// (``ChangeSet/changesOfUnfitIDs(of:)``).
        case commit([Change<R>], ChangeSet)
        /// The rows delivered before are no longer valid. All rows come again.
        case restart
    }

    let store: Store
    let options: FeedOptions
    let chunk: Int

    /// Creates an independent reader.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, options: options, chunk: chunk) }

    /// Reads rows and changes.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case rows(after: RowMark?)
            case between(Between)
            case tail
        }

        /// The commits between two chunks, which are delivered before the second chunk.
        private struct Between {
            /// The position of the second chunk.
            let end: Position
            /// The last row of the first chunk.
            let mark: RowMark
            /// The second chunk, its next element last, and its last row if more rows follow.
            let chunk: [Element]
            let next: RowMark?
        }

        private let store: Store
        private let options: FeedOptions
        private let chunk: Int
        private var phase = Phase.rows(after: nil)
        /// Reads on from the newest chunk. Here and below, it is changed in place: a copy would copy everything that it has read
        /// ahead.
        private var feed: FeedTail?
        /// Reads from the chunk before the newest one up to the newest.
        private var feedBetween: FeedTail?
        /// The elements to deliver, the next one last.
        private var ready: [Element] = []
        private var end = CancelledEnd()

        init(store: Store, options: FeedOptions, chunk: Int) {
            self.store = store
            self.options = RecordsAndChanges.options(options)
            self.chunk = chunk
        }

        /// Waits for the next element and returns it. Returns nil once the task is cancelled.
        public mutating func next() async throws -> Element? {
            while !end.hasCome {
                if let element = ready.popLast() { return element }
                switch phase {
                case .rows(let mark): try readChunk(after: mark)
                case .between(let between): try readBetween(between)
                case .tail: try await readChange()
                }
            }
            return nil
        }

        private mutating func readChunk(after mark: RowMark?) throws {
            let (rows, next, position) = try read(after: mark)
            var elements: [Element] = []
            if next == nil { elements.append(.ready(position)) }
            if !rows.isEmpty { elements.append(.rows(rows, position)) }
            if let mark, feed != nil {
                feedBetween = feed
                phase = .between(Between(end: position, mark: mark, chunk: elements, next: next))
            } else {
                give(elements, next)
            }
            feed = FeedTail(store, after: position, next == nil ? options : optionsBetween)
        }

        /// The options for the changes between two chunks. Each change set comes by itself, because these changes end with the
        /// chunk.
        private var optionsBetween: FeedOptions {
            var between = options
            between.mergesPending = false
            between.reportsProgress = false
            return between
        }

        private mutating func give(_ chunk: [Element], _ next: RowMark?) {
            ready = chunk
            phase = next.map { .rows(after: $0) } ?? .tail
        }

        private func read(after mark: RowMark?) throws -> ([R], RowMark?, Position) {
            let transaction = try store.beginRead()
            let scope = transaction._reading
            // Most readers want all rows. Without a filter, rows need no check before they are decoded.
            let filters =
                try options.filters.contains { $0.condition != nil }
                ? FeedFilters(options.filters, scope.catalog) : nil
            let (rows, next) = try scope.chunk(R.self, after: mark, limit: chunk, filters)
            return (rows, next, try scope.feedPosition())
        }

        private mutating func restart() {
            phase = .rows(after: nil)
            feed = nil
            feedBetween = nil
            ready = [.restart]
        }

        /// Delivers the next change to rows up to the last row of the previous chunk. If there is none left, delivers the chunk.
        private mutating func readBetween(_ between: Between) throws {
            while let set = try feedBetween?.peek(), set.sequence <= between.end.sequence {
                if set.isReset(R.self) { return restart() }
                let changes = try set.changes(of: R.self, wanted: between.mark.includes)
                feedBetween?.take()
                if try changes.isEmpty && set.changesOfUnfitIDs(of: R.self, wanted: between.mark.includes).isEmpty {
                    continue
                }
                ready = [.commit(changes, set)]
                return
            }
            // A look also ends after it has passed many unwanted change sets.
            if let reached = feedBetween?.passedSequence, reached < between.end.sequence { return }
            feedBetween = nil
            give(between.chunk, between.next)
        }

        /// Reads the next change. Leaves nothing ready if the task was cancelled.
        private mutating func readChange() async throws {
            while true {
                if let set = try feed?.peek() {
                    if set.isReset(R.self) {
                        restart()
                        return
                    }
                    let changes = try set.changes(of: R.self)
                    feed?.take()
                    let isWanted = options.reportsProgress || !changes.isEmpty
                    // A change whose id does not fit is only in the set.
                    guard try isWanted || !set.changesOfUnfitIDs(of: R.self).isEmpty else { continue }
                    ready = [.commit(changes, set)]
                    return
                }
                guard try await feed?.wait() ?? false else { return }
            }
        }
    }

    /// Returns the options that concern this type.
    private static func options(_ all: FeedOptions) -> FeedOptions {
        var options = all
        options.filters = all.filters.filter { $0.typeName == R.recordSchema.name }
        if options.filters.isEmpty { options.filters = [FeedFilter(R.self)] }
        return options
    }
}
