import LMDB
public import StoreEngine

extension Store {
    /// Waits until a consumer has handled everything up to a position, whichever process runs it.
    ///
    /// ```swift
    /// let sold = try await store.write(returning: .position) { tx in try tx.insert(sale) }.position
    /// try await store.wait(forConsumer: "totals", toPass: sold)      // the totals count the sale now
    /// ```
    ///
    /// A consumer also passes the change sets that it does not want. A consumer that a program reads by hand passes a position
    /// when the program acknowledges it. While no process runs the consumer, the wait continues.
    ///
    /// - Parameters:
    ///   - name: the consumer's name.
    ///   - position: the position that the consumer must pass, usually that of a write.
    /// - Throws: ``StoreError``: `consumerNotFound`, also when it is deleted meanwhile; `consumerExpired`, but not in a replica;
    ///   `positionOfAnotherStore`, `positionDiverged`; `closed`. `CancellationError`.
    public func wait(forConsumer name: String, toPass position: Position) async throws {
        // A consumer that sees this mark notes its position at once.
        var mark: (number: UInt32, byte: SharedByte?)?
        while true {
            try requireOpen()
            try core.catalog.requireFiles()
            // Counted before the store is read, so that no commit is missed.
            let count = core.notifier.wakeCount
            guard let number = try numberOfConsumer(name, behind: position) else { return }
            if mark?.number != number {
                let wakeFile = core.notifier.wakeFile
                mark = (number, wakeFile.flatMap { try? SharedByte(number, of: $0) })
                core.notifier.askConsumers()
                continue
            }
            switch try await commitWake(after: count) {
            case .moved: continue
            case .cancelled: throw CancellationError()
            case .closed: throw WriteQueue.closed
            }
        }
    }

    /// Returns the number of a consumer that has not passed a position; nil when it has.
    private func numberOfConsumer(_ name: String, behind position: Position) throws -> UInt32? {
        let transaction = try beginRead()
        guard let consumer = try transaction._reading.consumer(named: name) else {
            throw transaction._reading.consumerNotFound(name)
        }
        try transaction._reading.requireOwn(position)
        if consumer.position.sequence >= position.sequence { return nil }
        // In a replica, another node that still has the change sets may run the consumer.
        if consumer.isExpired, core.options.commitLog == nil { throw ConsumerState.expired(name) }
        return consumer.number
    }

    /// Waits until there may have been a commit since the wakes were counted, or this store is closed.
    func commitWake(after count: UInt64) async throws(StoreError) -> FeedNotifierState.Wake {
        try await core.notifier.wait(afterWake: count, core.access) { [self] in isStillOpen }
    }
}
