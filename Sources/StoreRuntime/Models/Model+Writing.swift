public import StoreEngine

extension Model {
    /// Changes the record in a write transaction, and returns once that is committed and the model shows it.
    ///
    /// ```swift
    /// try await sensor.update { $0.celsius += 1 }
    /// ```
    ///
    /// - Parameter body: gets the record as it is in the transaction, which may be newer than what the model shows.
    /// - Returns: the record after.
    /// - Throws: what `body` throws; ``StoreError``: `recordNotFound` when the record was deleted, and as
    ///   ``Store/write(durability:timeout:_:)``.
    @discardableResult
    public func update(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (inout R) throws -> Void
    ) async throws -> R {
        let id = id
        let pin = pinForWrite((file, line))
        defer { core.ownership.unpin(pin) }
        return try await core.write { tx in try tx.update(R.self, id: id, body) }.result
    }

    /// Deletes the record in a write transaction, and returns once that is committed and the model says so.
    ///
    /// - Throws: ``StoreError``, as ``WriteTransaction/delete(_:id:)`` and ``Store/write(durability:timeout:_:)``.
    public func delete(file: StaticString = #fileID, line: UInt = #line) async throws {
        let id = id
        let pin = pinForWrite((file, line))
        defer { core.ownership.unpin(pin) }
        _ = try await core.write { tx in try tx.delete(R.self, id: id) }
    }

    /// A binding to a field: reading it gives what the model shows, setting it queues a transaction of one field.
    ///
    /// Changes are made in the order of their making, each to the field as it is then. Reading is tracked by Observation.
    ///
    /// - Parameters:
    ///   - field: the field, such as `\.celsius`.
    ///   - isOptimistic: whether this binding shows what was set before it is committed. Models and other bindings show it
    ///     after. When a transaction fails, the binding shows the committed value again.
    ///   - onError: told of each transaction that failed, on no particular thread; for a constant each one does
    ///     (`invalidValue`). By default the first one for the line is a notice, see ``OwnershipOptions/onNotice``.
    public func binding<V: Sendable>(
        _ field: KeyPath<R.Fields, Field<R, V>>, isOptimistic: Bool = false,
        file: StaticString = #fileID, line: UInt = #line, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<V> {
        let token = FieldToken(R.fields[keyPath: field])
        let pending = isOptimistic ? PendingValue<V>() : nil
        return Binding(
            get: { [self] in
                let committed = value(token)
                return pending?.value ?? committed
            },
            committed: { [self] in value(token) },
            update: { [self] body in
                let number = pending?.begin { [self] in
                    value(token)
                } change: {
                    body(&$0)
                }
                let id = id
                let result = ResultBox<R>()
                let job = core.makeJob(
                    nil,
                    { tx in
                        guard token.isMutable else {
                            throw StoreError(
                                .invalidValue, "\(R.recordSchema.name).\(token.name) is a constant",
                                remedy: "declare it with var, or insert another record")
                        }
                        return try tx.update(R.self, id: id) { record in
                            var value = token.value(in: record)
                            body(&value)
                            token.set(value, in: &record)
                        }
                    }, result)
                let pin = pinForWrite((file, line))
                core.submit(job) { [core] outcome in
                    core.ownership.unpin(pin)
                    let isFailed = if case .failure = outcome { true } else { false }
                    if let number { pending?.finish(number, isFailed: isFailed) }
                    guard case .failure(let error) = outcome else { return }
                    if let onError { return onError(error) }
                    core.ownership.tell(
                        OwnershipNotice(
                            .writeFailed,
                            "\(R.recordSchema.name).\(token.name) was set by a binding, and that was not committed: \(ErrorText.of(error))",
                            line: SourceLine(file, line), error: error))
                }
            })
    }

    /// Keeps the model until a write through it has ended, and lets reports tell of that.
    private func pinForWrite(_ line: (file: StaticString, line: UInt)) -> PinID {
        core.ownership.pin(self, .pendingWrite, by: Scope.currentHolder, line.file, line.line)
    }
}
