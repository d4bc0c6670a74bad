public import StoreEngine

extension Model {
    /// Changes the record in a write transaction. Returns once the transaction is committed and the model has the new values.
    ///
    /// ```swift
    /// try await sensor.update { $0.celsius += 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: receives the record as the transaction reads it, which may be newer than the model's values.
    /// - Returns: the changed record.
    /// - Throws: the errors of `body`; ``StoreError``: `recordNotFound` if the record was deleted, and as
    ///   ``Store/write(durability:timeout:_:)-887qk``.
    @discardableResult
    public func update(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (inout R) throws -> Void
    ) async throws -> R {
        let id = id
        let pin = pinForWrite((file, line))
        defer { core.ownership.unpin(pin) }
        return try await core.write { tx in try tx.update(R.self, id: id, body) }.result
    }

    /// Deletes the record in a write transaction. Returns once the transaction is committed and ``isDeleted`` is true.
    ///
    /// - Throws: ``StoreError``, as ``WriteTransaction/delete(_:id:)`` and ``Store/write(durability:timeout:_:)-887qk``.
    public func delete(file: StaticString = #fileID, line: UInt = #line) async throws {
        let id = id
        let pin = pinForWrite((file, line))
        defer { core.ownership.unpin(pin) }
        _ = try await core.write { tx in try tx.delete(R.self, id: id) }
    }

    /// Returns a binding to a field. Reading the binding returns the model's value; setting it queues a transaction that changes
    /// this field.
    ///
    /// The store applies changes in the order in which they are made, each to the value of the field at that time. Observation
    /// tracks reading.
    ///
    /// - Parameters:
    ///   - field: the field, such as `\.celsius`.
    ///   - isOptimistic: whether this binding returns a new value before it is committed. Models and other bindings return it
    ///     after the commit. If a transaction fails, the binding returns the committed value again.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - onError: receives the error of each failed transaction, on no particular thread. If the field is a constant, each
    ///     transaction fails with `invalidValue`. By default, the store reports the first failure of each line as a notice, see
    ///     ``OwnershipOptions/onNotice``.
    public func binding<V: Sendable>(
        _ field: KeyPath<R.Fields, Field<R, V>>, isOptimistic: Bool = false,
        file: StaticString = #fileID, line: UInt = #line, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<V> {
        let token = FieldToken(R.fields[keyPath: field])
        let pending = isOptimistic ? PendingValue<V>() : nil
        let binding: Binding<V> = Binding(
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
                    core.ownership.notify(
                        OwnershipNotice(
                            .writeFailed,
                            "a binding set \(R.recordSchema.name).\(token.name), but the write was not committed: \(ErrorText.of(error))",
                            line: SourceLine(file, line), error: error))
                }
            })
        // Each optimistic binding has pending values of its own.
        return onError == nil && !isOptimistic ? binding.of(BindingSource(self, token.name)) : binding
    }

    /// Keeps the model alive until a write through it has ended, and lists the write in reports.
    private func pinForWrite(_ line: (file: StaticString, line: UInt)) -> PinID {
        core.ownership.pin(self, .pendingWrite, by: Scope.currentHolder, line.file, line.line)
    }
}
