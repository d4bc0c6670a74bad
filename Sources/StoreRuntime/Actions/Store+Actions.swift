package import StoreEngine

extension Store {
    /// Runs an action in a write transaction, and records it with the changes that it made.
    ///
    /// An action that changes nothing is recorded too.
    ///
    /// - Parameters:
    ///   - action: what to do.
    ///   - durability: what the commit survives; the store's standard when nil.
    ///   - timeout: the longest wait until the action begins; ``StoreOptions/writeTimeout`` when nil.
    /// - Returns: what the action returned. ``send(_:returning:durability:timeout:)`` returns the position too.
    /// - Throws: what the action throws, and then nothing is committed or recorded; ``StoreError`` as a write, and `invalidValue`
    ///   when the action or what it returns cannot be encoded as JSON, `tooLarge` when one is above the limit `recordByteCount`.
    @discardableResult
    public func send<A: Action>(
        _ action: A, durability: Durability? = nil, timeout: Duration? = nil
    ) async throws -> A.Result {
        try await send(action, returning: .position, durability: durability, timeout: timeout).result
    }

    /// Runs an action in a write transaction, and returns its result and the position of the commit.
    ///
    /// - Parameter returning: `.position`.
    /// - Throws: as ``send(_:durability:timeout:)``.
    public func send<A: Action>(
        _ action: A, returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil
    ) async throws -> Committed<A.Result> {
        let payload = try Self.payload(of: action)
        return try await write(returning: returning, durability: durability, timeout: timeout) { tx in
            try action.runNoted(payload: payload, in: &tx)
        }
    }

    /// Runs an action in a write transaction, and blocks until it is committed: for programs without tasks.
    ///
    /// - Throws: as the asynchronous form; `nestedWrite` inside a write closure of any store.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    @discardableResult
    public func send<A: Action>(
        _ action: A, durability: Durability? = nil, timeout: Duration? = nil
    ) throws -> A.Result {
        try send(action, returning: .position, durability: durability, timeout: timeout).result
    }

    /// Runs an action in a write transaction, blocks until it is committed, and returns its result and the position of the
    /// commit.
    ///
    /// - Parameter returning: `.position`.
    /// - Throws: as the form without a position.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    public func send<A: Action>(
        _ action: A, returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil
    ) throws -> Committed<A.Result> {
        let payload = try Self.payload(of: action)
        return try write(returning: returning, durability: durability, timeout: timeout) { tx in
            try action.runNoted(payload: payload, in: &tx)
        }
    }

    private static func payload<A: Action>(of action: A) throws(StoreError) -> [UInt8] {
        try ActionCoding.requireRecordable(A.self)
        return try ActionCoding.encode(action, of: A.actionName)
    }
}

extension Store {
    /// Queues an action, after all writes that were queued before, and does not wait for it.
    ///
    /// - Parameters:
    ///   - onError: told why it was not done, on no particular thread.
    ///   - make: makes the action of what the records are when its turn has come.
    package func queue<A: Action>(
        onError: @escaping @Sendable (any Error) -> Void,
        make: @escaping @Sendable (inout WriteTransaction) throws -> A
    ) {
        do {
            try requireWritable()
            let job = core.makeJob(
                nil,
                { tx in
                    let action = try make(&tx)
                    return try action.runNoted(payload: Self.payload(of: action), in: &tx)
                }, ResultBox())
            core.submit(job) { result in
                if case .failure(let error) = result { onError(error) }
            }
        } catch {
            onError(error)
        }
    }
}
