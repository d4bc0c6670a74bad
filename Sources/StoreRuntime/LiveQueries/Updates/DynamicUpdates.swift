package import StoreEngine

/// The results of a request for records whose Swift type the program does not have, and then each scoped update.
///
/// As ``LiveUpdates``: who is slow gets several updates as one, and always ends on the newest. The sequence ends when its task
/// is cancelled; the iterator throws ``StoreError``.
package struct DynamicUpdates: AsyncSequence, Sendable {
    package typealias Element = DynamicUpdate

    let makeUse: @Sendable () throws -> LiveUse

    /// A subscription of its own.
    package func makeAsyncIterator() -> Iterator { Iterator(makeUse: makeUse) }

    /// Waits for updates.
    package struct Iterator: AsyncIteratorProtocol {
        let makeUse: @Sendable () throws -> LiveUse
        private var steps: LiveSteps?
        private var end = CancelledEnd()

        init(makeUse: @escaping @Sendable () throws -> LiveUse) { self.makeUse = makeUse }

        /// The next update; nil when the task is cancelled.
        package mutating func next() async throws -> DynamicUpdate? {
            if end.hasCome { return nil }
            let steps = try steps ?? LiveSteps(makeUse())
            self.steps = steps
            return try await steps.next().map(DynamicUpdate.init)
        }
    }
}

extension Store {
    /// The records that a request asks for, without their Swift type, and then each scoped update as records change, by
    /// whatever process.
    ///
    /// - Parameters:
    ///   - request: what to show, without a position and not of distinct rows. Those of its fields that are of other records
    ///     are looked up with each row, and their changes are told.
    ///   - name: the name of the record type.
    ///   - fields: the fields that are of interest: an update of others is not told unless it decides which records there are and
    ///     where; nil for all.
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
    /// A subscription to a live query that is asked for what there is, without waiting. It belongs to one task at a time.
    ///
    /// - Throws: ``StoreError``: `closed`; as ``updates(of:typeNamed:fields:)``.
    package func liveSteps(_ key: LiveKey) throws -> LiveSteps {
        try requireOpen()
        return LiveSteps(try LiveUse(key, core))
    }
}
