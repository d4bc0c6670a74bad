public import StoreEngine

/// The change sets of a store from a position on, as they are committed by any process: an asynchronous sequence that has no
/// end of its own.
///
/// Each iterator reads for itself, at its own pace: what it has not taken stays on disk, takes no memory, and never keeps a
/// writer waiting. <doc:Concurrency#How-a-sequence-ends> says when the sequence ends.
///
/// The iterator throws ``StoreError``: `positionCompacted` when the reader was so slow that change sets it had not read are not
/// retained any longer; `positionOfAnotherStore`, `positionInFuture`, `positionDiverged` for a position that does not fit;
/// `schemaMismatch` when a newer program has changed the schema beyond what this one can read; `unknownType`, `unknownField` and
/// `invalidValue` for a filter that does not fit the schema; `closed`; `damaged`.
public struct ChangeFeed: AsyncSequence, Sendable {
    public typealias Element = ChangeSet

    let store: Store
    let start: FeedStart
    let options: FeedOptions
    /// The name of a consumer whose change sets are left out.
    var skippedConsumer: String?

    /// A reader of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: self) }

    /// Reads the feed.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: ChangeFeed
        private var tail: FeedTail?
        private var end = CancelledEnd()

        init(feed: ChangeFeed) { self.feed = feed }

        /// The next change set; waits for it. Nil once the task is cancelled.
        public mutating func next() async throws -> ChangeSet? {
            if end.hasCome { return nil }
            // Changed in its place: a copy of it would copy all that it has read ahead.
            if tail == nil { tail = try feed.makeTail() }
            repeat {
                if let next = try tail?.next() { return next }
                _ = try await tail?.wait()
            } while !end.hasCome
            return nil
        }
    }

    private func makeTail() throws -> FeedTail {
        let transaction = try store.beginRead()
        return FeedTail(
            store, after: try start.position(in: transaction._reading), options, skippedConsumer: skippedConsumer)
    }
}
