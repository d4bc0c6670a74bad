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
    /// when the program acknowledges it. While no process runs the consumer, the wait continues, also before its first start.
    ///
    /// - Parameters:
    ///   - name: the consumer's name.
    ///   - position: the position that the consumer must pass, usually that of a write.
    /// - Throws: ``StoreError``: `consumerNotFound` when the consumer is deleted meanwhile; `consumerExpired`, but not in a
    ///   replica; `invalidValue` for a name that no consumer can have; `positionOfAnotherStore`, `positionDiverged`; `closed`.
    ///   `CancellationError`.
    public func wait(forConsumer name: String, toPass position: Position) async throws {
        // A consumer that sees this mark notes its position at once.
        var mark: (number: UInt32, byte: SharedByte?)?
        var wasThere = false
        while true {
            try requireOpen()
            try core.catalog.requireFiles()
            // Counted before the store is read, so that no commit is missed.
            let count = core.notifier.wakeCount
            switch try standing(of: name, at: position) {
            case .passed: return
            case .absent: if wasThere { throw ConsumerState.deleted(name) }
            case .behind(let number):
                wasThere = true
                guard mark?.number == number else {
                    let wakeFile = core.notifier.wakeFile
                    mark = (number, wakeFile.flatMap { try? SharedByte(number, of: $0) })
                    core.notifier.askConsumers()
                    continue
                }
            }
            switch try await commitWake(after: count) {
            case .moved: continue
            case .cancelled: throw CancellationError()
            case .closed: throw WriteQueue.closed
            }
        }
    }

    /// Where a consumer is, compared with a position.
    private enum Standing {
        case passed
        /// It has to pass the position. The number stands for it in the wake file.
        case behind(number: UInt32)
        case absent
    }

    private func standing(of name: String, at position: Position) throws -> Standing {
        let transaction = try beginRead()
        try transaction._reading.requireOwn(position)
        guard let consumer = try transaction._reading.consumer(named: name) else { return .absent }
        if consumer.position.sequence >= position.sequence { return .passed }
        // In a replica, another node that still has the change sets may run the consumer.
        if consumer.isExpired, core.options.commitLog == nil { throw ConsumerState.expired(name) }
        return .behind(number: consumer.number)
    }

    /// Waits until there may have been a commit since the wakes were counted, or this store is closed.
    func commitWake(after count: UInt64) async throws(StoreError) -> FeedNotifierState.Wake {
        try await core.notifier.wait(afterWake: count, core.access) { [self] in isStillOpen }
    }
}
