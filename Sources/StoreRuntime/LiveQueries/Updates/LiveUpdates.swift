public import StoreEngine

/// An asynchronous sequence of a live query: its results, and then each scoped update.
///
/// A slow subscriber receives several updates merged into one, and always the newest one last. The sequence does not end by
/// itself; <doc:Concurrency#How-a-sequence-ends> lists when it ends.
///
/// The iterator throws ``StoreError`` with one of these codes:
///
/// - `invalidValue` or `unknownField`: the request does not match its record type;
/// - `unknownType`: the store was opened without the record type;
/// - `closed`: the store is closed;
/// - `damaged`, or `valueDoesNotFit` if a value of a record is not one of its Swift type: a record of the results cannot be
///   decoded. After that error, the next call waits for the next change, and delivers a reset. Once the store is closed, the
///   error comes at most once more, followed by `closed`.
public struct LiveUpdates<R: Record>: AsyncSequence, Sendable {
    public typealias Element = LiveUpdate<R>

    let makeWatch: @Sendable () throws -> LiveWatch<R>

    /// - Parameter position: the position at which subscribers had the results before; nil for new subscribers.
    init(since position: Position? = nil, makeQuery: @escaping @Sendable () throws -> LiveQuery<R>) {
        makeWatch = { try LiveWatch(try makeQuery(), since: position) }
    }

    /// Returns an iterator with its own subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(makeWatch: makeWatch) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makeWatch: @Sendable () throws -> LiveWatch<R>
        private var watch: LiveWatch<R>?
        private var end = CancelledEnd()

        init(makeWatch: @escaping @Sendable () throws -> LiveWatch<R>) { self.makeWatch = makeWatch }

        /// Waits for the next update, and returns it; nil when the task is cancelled.
        public mutating func next() async throws -> LiveUpdate<R>? {
            if end.hasCome { return nil }
            return try await begin().next()
        }

        /// Returns the update to the current results without waiting for a new one; nil if they were delivered last.
        ///
        /// - Throws: the reason why no more updates come, once all updates are delivered.
        package mutating func poll() throws -> LiveUpdate<R>? { try begin().poll() }

        private mutating func begin() throws -> LiveWatch<R> {
            if let watch { return watch }
            let new = try makeWatch()
            watch = new
            return new
        }
    }
}
