package import StoreEngine

extension Store {
    /// Runs an action in a write transaction, and records it with its changes.
    ///
    /// An action without changes is recorded too.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - durability: the failures that the commit survives; nil for the store's default.
    ///   - timeout: the longest wait until the action begins; nil for ``StoreOptions/writeTimeout``.
    /// - Returns: the result of the action. ``send(_:returning:durability:timeout:)-4imsd`` also returns the position.
    /// - Throws: the error of the action, and nothing is committed or recorded then; ``StoreError``, as a write. The code is
    ///   `invalidValue` if the action or its result cannot be encoded as JSON, and `tooLarge` if one of them exceeds the limit
    ///   `recordByteCount`.
    @discardableResult
    public func send<A: Action>(
        _ action: A, durability: Durability? = nil, timeout: Duration? = nil
    ) async throws -> A.Result {
        try await send(action, returning: .position, durability: durability, timeout: timeout).result
    }

    /// Runs an action in a write transaction, and returns its result and the position of the commit.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - returning: `.position`.
    ///   - durability: the failures that the commit survives; nil for ``StoreOptions/durability``.
    ///   - timeout: the longest wait until the action begins; nil for ``StoreOptions/writeTimeout``.
    /// - Throws: as ``send(_:durability:timeout:)-3zmpb``.
    public func send<A: Action>(
        _ action: A, returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil
    ) async throws -> Committed<A.Result> {
        let payload = try Self.payload(of: action)
        return try await write(returning: returning, durability: durability, timeout: timeout) { tx in
            try action.runNoted(payload: payload, in: &tx)
        }
    }

    /// Runs an action in a write transaction, and blocks until it is committed. Use it in programs without tasks.
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
    /// - Parameters:
    ///   - action: the action.
    ///   - returning: `.position`.
    ///   - durability: the failures that the commit survives; nil for ``StoreOptions/durability``.
    ///   - timeout: the longest wait until the action begins; nil for ``StoreOptions/writeTimeout``.
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
    /// Queues an action after all writes that are already queued, and does not wait for it.
    ///
    /// - Parameters:
    ///   - onError: receives the reason if the action was not committed, on no particular thread.
    ///   - make: creates the action from the records at its turn.
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
