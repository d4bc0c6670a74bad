public import StoreEngine

/// The records of a type and then every change of them, without a gap between: an asynchronous sequence.
///
/// Rows are read in chunks, each from a snapshot of its own, so that no snapshot is held for long. Between two chunks come the
/// changes that were committed meanwhile to rows given before: whoever applies the elements in their order has, at each
/// element's position, all rows up to the last one given as they were at that position; and after `ready` all rows.
///
/// A reset (a program that is not ModelStore wrote) begins anew with ``Element/restart``.
///
/// The iterator throws and ends as that of ``ChangeFeed``.
public struct RecordsAndChanges<R: Record>: AsyncSequence, Sendable {
    /// What the sequence gives.
    public enum Element: Sendable {
        /// Further rows in the order of ids (those of more than 239 bytes that begin alike in any order), as of a position.
        case rows([R], Position)
        /// All rows that there were at a position have been given.
        case ready(Position)
        /// A change set, or a part of one, with its changes of rows that were given, or after `ready` of any. Without changes
        /// where progress was asked for and there is nothing that is wanted.
        case commit([Change<R>], ChangeSet)
        /// What was given before is not to be relied on; all rows come again.
        case restart
    }

    let store: Store
    let options: FeedOptions
    let chunk: Int

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(store: store, options: options, chunk: chunk) }

    /// Reads rows and changes.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case rows(after: RowMark?)
            case between(Between)
            case tail
        }

        /// What was committed between two chunks, which comes before the second.
        private struct Between {
            /// The position of the second chunk.
            let end: Position
            /// The last row of the first chunk.
            let mark: RowMark
            /// The second chunk, its next element last, and its last row where there are more.
            let chunk: [Element]
            let next: RowMark?
        }

        private let store: Store
        private let options: FeedOptions
        private let chunk: Int
        private var phase = Phase.rows(after: nil)
        /// Reads on from the newest chunk. It is changed in its place, here and below: a copy would copy all it has read ahead.
        private var feed: FeedTail?
        /// Reads from the chunk before the newest one to that.
        private var feedBetween: FeedTail?
        /// The next element last.
        private var ready: [Element] = []
        private var end = CancelledEnd()

        init(store: Store, options: FeedOptions, chunk: Int) {
            self.store = store
            self.options = RecordsAndChanges.options(options)
            self.chunk = chunk
        }

        /// The next element; waits for it. Nil once the task is cancelled.
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

        /// How changes between two chunks are read: each by itself, since they end with the chunk.
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
            // Most want all rows, which need not be looked at before they are decoded then.
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

        /// Gives the next change of rows up to the last one of the chunk before, or then the chunk.
        private mutating func readBetween(_ between: Between) throws {
            while let set = try feedBetween?.peek(), set.sequence <= between.end.sequence {
                if set.isReset(R.self) { return restart() }
                let changes = try set.changes(of: R.self, wanted: between.mark.includes)
                feedBetween?.take()
                if changes.isEmpty { continue }
                ready = [.commit(changes, set)]
                return
            }
            // A look ends where it has passed a lot that is not wanted, too.
            if let reached = feedBetween?.passedSequence, reached < between.end.sequence { return }
            feedBetween = nil
            give(between.chunk, between.next)
        }

        /// Leaves nothing ready where the task was cancelled.
        private mutating func readChange() async throws {
            while true {
                if let set = try feed?.peek() {
                    if set.isReset(R.self) {
                        restart()
                        return
                    }
                    let changes = try set.changes(of: R.self)
                    feed?.take()
                    guard !changes.isEmpty || options.reportsProgress else { continue }
                    ready = [.commit(changes, set)]
                    return
                }
                guard try await feed?.wait() ?? false else { return }
            }
        }
    }

    /// What of the options is about this type.
    private static func options(_ all: FeedOptions) -> FeedOptions {
        var options = all
        options.filters = all.filters.filter { $0.typeName == R.recordSchema.name }
        if options.filters.isEmpty { options.filters = [FeedFilter(R.self)] }
        return options
    }
}
