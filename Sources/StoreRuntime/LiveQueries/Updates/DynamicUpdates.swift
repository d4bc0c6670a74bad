package import StoreEngine

/// An asynchronous sequence of a live query on records whose Swift type the program lacks: the results, and then each scoped
/// update.
///
/// As with ``LiveUpdates``, a slow subscriber receives several updates merged into one, and always the newest one last. The
/// sequence ends when its task is cancelled; the iterator throws ``StoreError``.
package struct DynamicUpdates: AsyncSequence, Sendable {
    package typealias Element = DynamicUpdate

    let makeUse: @Sendable () throws -> LiveUse

    /// Returns an iterator with its own subscription.
    package func makeAsyncIterator() -> Iterator { Iterator(makeUse: makeUse) }

    /// Waits for updates.
    package struct Iterator: AsyncIteratorProtocol {
        let makeUse: @Sendable () throws -> LiveUse
        private var steps: LiveSteps?
        private var end = CancelledEnd()

        init(makeUse: @escaping @Sendable () throws -> LiveUse) { self.makeUse = makeUse }

        /// Waits for the next update, and returns it; nil when the task is cancelled.
        package mutating func next() async throws -> DynamicUpdate? {
            if end.hasCome { return nil }
            let steps = try steps ?? LiveSteps(makeUse())
            self.steps = steps
            return try await steps.next().map(DynamicUpdate.init)
        }
    }
}

extension Store {
    /// Delivers the results of a request for records without their Swift type, and then each scoped update, whichever process
    /// writes.
    ///
    /// - Parameters:
    ///   - request: the request, without a position and without distinct rows. Each row holds the values of the requested fields
    ///     of other records, and updates include changes to those values.
    ///   - name: the name of the record type.
    ///   - fields: the fields of interest; nil for all. A change to another field is delivered only if it decides which records
    ///     match, or their order.
    package func updates(
        of request: Request, typeNamed name: String, fields: LiveFields? = nil
    ) -> DynamicUpdates {
        DynamicUpdates {
            try self.requireOpen()
            return try LiveUse(LiveKey(typeName: name, request: request, fields: fields, isCount: false), self.core)
        }
    }
}

extension Store {
    /// Returns a subscription to a live query that can be read without waiting. It belongs to one task at a time.
    ///
    /// - Throws: ``StoreError``: `closed`; as ``updates(of:typeNamed:fields:)``.
    package func liveSteps(_ key: LiveKey) throws -> LiveSteps {
        try requireOpen()
        return LiveSteps(try LiveUse(key, core))
    }
}
