public import StoreEngine

/// The results of a live query and then each scoped update: an asynchronous sequence that has no end of its own.
///
/// Who is slow gets several updates as one, and always ends on the newest. The sequence ends when its task is cancelled. The
/// iterator throws ``StoreError``: `invalidValue` and `unknownField` for a request that does not fit its type; `unknownType`;
/// `closed`; `damaged`.
public struct LiveUpdates<R: Record>: AsyncSequence, Sendable {
    public typealias Element = LiveUpdate<R>

    let makeQuery: @Sendable () throws -> LiveQuery<R>

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(makeQuery: makeQuery) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makeQuery: @Sendable () throws -> LiveQuery<R>
        private var watch: LiveWatch<R>?

        init(makeQuery: @escaping @Sendable () throws -> LiveQuery<R>) { self.makeQuery = makeQuery }

        /// The next update; nil when the task is cancelled.
        public mutating func next() async throws -> LiveUpdate<R>? {
            if let watch { return try await watch.next() }
            let new = LiveWatch(try makeQuery())
            watch = new
            return try await new.next()
        }
    }
}
