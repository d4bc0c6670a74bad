public import StoreEngine

/// The change sets of a store from a position on, as any process commits them. An asynchronous sequence that has no end of its
/// own.
///
/// Each iterator reads by itself, at its own pace. Change sets that it has not taken stay on disk, take no memory, and never keep
/// a writer waiting. <doc:Concurrency#How-a-sequence-ends> says when the sequence ends.
///
/// The iterator throws a ``StoreError``:
/// - `positionCompacted`: the reader was so slow that the store no longer retains change sets that it had not read.
/// - `positionOfAnotherStore`, `positionInFuture`, `positionDiverged`: the position does not belong to this store's history.
/// - `schemaMismatch`: a newer program has changed the schema beyond what this one can read.
/// - `unknownType`, `unknownField`, `invalidValue`: a filter does not match the schema, or an option is outside its range.
/// - `closed` and `damaged`.
public struct ChangeFeed: AsyncSequence, Sendable {
    public typealias Element = ChangeSet

    let store: Store
    let start: FeedStart
    let options: FeedOptions
    /// The name of a consumer whose change sets are skipped.
    var skippedConsumer: String?

    /// Creates an independent reader.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: self) }

    /// Reads the feed.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: ChangeFeed
        private var tail: FeedTail?
        private var end = CancelledEnd()

        init(feed: ChangeFeed) { self.feed = feed }

        /// Waits for the next change set and returns it. Returns nil once the task is cancelled.
        public mutating func next() async throws -> ChangeSet? {
            if end.hasCome { return nil }
            // Changed in place: a copy would copy everything that it has read ahead.
            if tail == nil { tail = try feed.makeTail() }
            repeat {
                if let next = try tail?.next() { return next }
                _ = try await tail?.wait()
            } while !end.hasCome
            return nil
        }
    }

    private func makeTail() throws -> FeedTail {
        try options.check()
        let transaction = try store.beginRead()
        return FeedTail(
            store, after: try start.position(in: transaction._reading), options, skippedConsumer: skippedConsumer)
    }
}
