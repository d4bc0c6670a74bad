public import StoreEngine

/// The results of a live query and then each scoped update: an asynchronous sequence that has no end of its own.
///
/// A slow subscriber receives several updates as one, and the newest last. <doc:Concurrency#How-a-sequence-ends> says when the
/// sequence ends. The iterator throws ``StoreError``: `invalidValue` and `unknownField` for a request that does not fit its type; `unknownType`;
/// `closed`; `damaged`, also for a record of the results that cannot be decoded: asked again after that, it waits for the next
/// change, and begins anew.
public struct LiveUpdates<R: Record>: AsyncSequence, Sendable {
    public typealias Element = LiveUpdate<R>

    let makeWatch: @Sendable () throws -> LiveWatch<R>

    /// - Parameter position: where subscribers stand who had the results before.
    init(since position: Position? = nil, makeQuery: @escaping @Sendable () throws -> LiveQuery<R>) {
        makeWatch = { try LiveWatch(try makeQuery(), since: position) }
    }

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(makeWatch: makeWatch) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makeWatch: @Sendable () throws -> LiveWatch<R>
        private var watch: LiveWatch<R>?
        private var end = CancelledEnd()

        init(makeWatch: @escaping @Sendable () throws -> LiveWatch<R>) { self.makeWatch = makeWatch }

        /// The next update; nil when the task is cancelled.
        public mutating func next() async throws -> LiveUpdate<R>? {
            if end.hasCome { return nil }
            return try await begin().next()
        }

        /// The update to what is shown now, without waiting for one; nil where that is what was given last.
        ///
        /// - Throws: why no more updates come, once there is none left.
        package mutating func poll() throws -> LiveUpdate<R>? { try begin().poll() }

        private mutating func begin() throws -> LiveWatch<R> {
            if let watch { return watch }
            let new = try makeWatch()
            watch = new
            return new
        }
    }
}
