package import StoreEngine

/// The updates of a live query for one who looks whether there is one: a look finds a failure, too.
package struct ProbedUpdates<R: Record>: AsyncSequence, Sendable {
    package typealias Element = LiveUpdate<R>

    private let makeWatch: @Sendable () throws -> LiveWatch<R>

    package init(_ updates: LiveUpdates<R>) { makeWatch = updates.makeWatch }

    package func makeAsyncIterator() -> Iterator { Iterator(makeWatch: makeWatch) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let makeWatch: @Sendable () throws -> LiveWatch<R>
        private var watch: LiveWatch<R>?

        fileprivate init(makeWatch: @escaping @Sendable () throws -> LiveWatch<R>) { self.makeWatch = makeWatch }

        /// The next update; nil when the task is cancelled.
        package mutating func next() async throws -> LiveUpdate<R>? { try await begin().next() }

        /// The update to what is shown now, without waiting for one; nil where that is what was given last.
        ///
        /// - Throws: why no more updates come, once there is none left.
        package mutating func poll() throws -> LiveUpdate<R>? {
            let watch = try begin()
            if let update = try watch.poll() { return update }
            if let failure = watch.failure { throw failure }
            return nil
        }

        private mutating func begin() throws -> LiveWatch<R> {
            if let watch { return watch }
            let new = try makeWatch()
            watch = new
            return new
        }
    }
}
