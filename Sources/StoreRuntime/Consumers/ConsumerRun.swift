import StoreEngine

/// The loop of a consumer: reads change sets, runs their effects, and notes its position, until its task is cancelled.
struct ConsumerRun {
    /// The effect of a change set.
    enum Effect {
        /// Writes to the store, in the transaction that notes the change set.
        case inStore(@Sendable (ChangeSet, inout WriteTransaction) throws -> Void)
        /// Acts outside the store, before the change set is noted.
        case elsewhere(@Sendable (ChangeSet) async throws -> Void)
    }

    private let consumer: FeedConsumer
    private let effect: Effect
    private var store: Store { consumer.store }
    private var options: ConsumerOptions { consumer.options }

    /// When the consumer notes its position while it passes unwanted change sets.
    private let pace: NotingPace

    init(_ consumer: FeedConsumer, effect: Effect) {
        self.consumer = consumer
        self.effect = effect
        let core = consumer.store.core
        pace = NotingPace(consumer.lease, core.options.limits, isReplica: core.options.commitLog != nil)
    }

    /// Runs until the task is cancelled or a failure is final.
    ///
    /// - Throws: ``GivenUp``; ``StoreError`` for a failure of the consumer itself.
    func run() async throws {
        var progress = Progress(consumer.firstPosition)
        defer { options.onEvent(.ended(position: progress.noted)) }
        do {
            try await run(&progress)
        } catch is CancellationError where Task.isCancelled {
        } catch let end as GivenUp {
            _ = try? await noteAtEnd(&progress)
            throw end
        } catch {
            // The original error matters more. Change sets that are not noted come again.
            _ = try? await noteAtEnd(&progress)
            // An expiry may appear as the error for a position that is gone.
            guard error is StoreError, consumer.hasExpired else { throw error }
            options.onEvent(.expired(position: progress.noted))
            throw ConsumerState.expired(consumer.name)
        }
        try await noteAtEnd(&progress)
    }

    /// A change set has failed in its last attempt. It is thrown as it is, because its code may be that of another store's error.
    struct GivenUp: Error {
        let error: StoreError
    }

    /// The progress of the consumer.
    private struct Progress {
        /// The position up to which every change set was handled or is not wanted.
        var dealt: Position
        /// The position that the store has noted.
        var noted: Position
        /// Whether change sets were handled that the store has not noted.
        var hasEffects = false
        /// The skipped change sets that the store has not noted.
        var skipped: Set<UInt64> = []
        /// How many reads of the feed led to the noted position.
        var reads: Int

        init(_ position: Position, reads: Int = 0) {
            dealt = position
            noted = position
            self.reads = reads
        }

        /// How many change sets the store has not noted.
        var count: UInt64 { dealt.sequence - noted.sequence }
    }

    private func run(_ progress: inout Progress) async throws {
        var tail = try makeTail(after: progress.noted)
        var isInside = false
        // A change set that was begun is handled to its end.
        while !Task.isCancelled || isInside {
            guard let set = try tail.next() else {
                // The rest of the change set is in the feed, behind many unwanted changes.
                if isInside { continue }
                progress.dealt = tail.readPosition
                // Handled change sets are noted once no others wait.
                let isDue = pace.isDue(progress.count, reads: tail.readCount - progress.reads)
                if progress.hasEffects || isDue || progress.count > 0 && consumer.isAwaited {
                    try await note(&progress, reads: tail.readCount)
                }
                guard try await wait(tail, &progress) else { return }
                continue
            }
            switch effect {
            case .inStore(let body):
                progress = Progress(try await deal(with: set.sequence, body), reads: tail.readCount)
                assert(progress.noted.sequence >= set.sequence)
                tail.skip(to: progress.noted)
            case .elsewhere(let body):
                isInside = !set.isLastPart
                if try await !deal(with: set, body) { progress.skipped.insert(set.sequence) }
                guard set.isLastPart else { continue }
                progress.dealt = set.position
                progress.hasEffects = true
                if isBatchFull(progress) { try await note(&progress, reads: tail.readCount) }
            }
        }
    }

    private func makeTail(after position: Position) throws -> FeedTail {
        let transaction = try store.beginRead()
        try transaction._reading.requireResumable(position)
        return FeedTail(store, after: position, consumer.feedOptions, skippedConsumer: consumer.name)
    }

    // MARK: Noting

    /// Waits until there may be more to read. Notes passed change sets after a while, or once a program waits for them. Otherwise
    /// a consumer whose filter lets nothing through would expire once these change sets are too old to be retained for it.
    ///
    /// - Returns: false when the task was cancelled.
    private func wait(_ tail: FeedTail, _ progress: inout Progress) async throws -> Bool {
        if progress.count == 0 { return try await tail.wait() }
        let (options, delay) = (options, pace.delay)
        let isOver = try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask { try await tail.wait() }
            group.addTask {
                // If the sleep is cancelled, it does not matter how it ends.
                try? await options.sleep(delay)
                return nil
            }
            group.addTask {
                try await waitToBeAwaited()
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        if let isOver { return isOver }
        if Task.isCancelled { return false }
        try await note(&progress, reads: tail.readCount)
        return true
    }

    /// Waits until a program waits for the consumer to note its position, or the task is cancelled.
    private func waitToBeAwaited() async throws {
        while true {
            let count = store.core.notifier.wakeCount
            if consumer.isAwaited { return }
            switch try await store.commitWake(after: count) {
            case .moved: continue
            case .cancelled: return
            case .closed: throw WriteQueue.closed
            }
        }
    }

    private func isBatchFull(_ progress: Progress) -> Bool {
        progress.count >= UInt64(max(options.changeSetsPerCommit, 1))
    }

    private func note(_ progress: inout Progress, reads: Int = 0) async throws {
        guard progress.count > 0 else { return }
        let dealt = progress.dealt
        try await consumer.acknowledge(dealt, skipped: progress.skipped.count)
        progress = Progress(dealt, reads: reads)
    }

    // In a task of its own, because this one is cancelled, and handled change sets must not be handled again.
    private func noteAtEnd(_ progress: inout Progress) async throws {
        let unnoted = progress
        progress = try await Task {
            var progress = unnoted
            try await note(&progress)
            return progress
        }.value
    }

    // MARK: Effects elsewhere

    /// Handles a change set with `body`. Returns false if it is skipped.
    private func deal(with set: ChangeSet, _ body: (ChangeSet) async throws -> Void) async throws -> Bool {
        var attempt = 1
        while true {
            do {
                try await body(set)
                return true
            } catch let error as CancellationError where Task.isCancelled {
                throw error
            } catch {
                // Includes a cancellation of something else, such as a request that took too long.
                if try await !shallRetry(set.sequence, &attempt, error) { return false }
            }
        }
    }

    /// Waits before another attempt.
    ///
    /// - Returns: false when the change set must be skipped.
    /// - Throws: ``GivenUp`` when there is no attempt left.
    private func shallRetry(_ sequence: UInt64, _ attempt: inout Int, _ error: any Error) async throws -> Bool {
        guard attempt >= options.retry.attempts else {
            options.onEvent(.failed(sequence: sequence, attempt: attempt, error: error))
            try await options.sleep(options.retry.delay(after: attempt))
            attempt += 1
            return true
        }
        guard options.failurePolicy == .skip else {
            let end = givenUp(sequence, attempt, error)
            options.onEvent(.gaveUp(sequence: sequence, error: end.error))
            throw end
        }
        options.onEvent(.skipped(sequence: sequence, error: error))
        return false
    }

    private func givenUp(_ sequence: UInt64, _ attempts: Int, _ cause: any Error) -> GivenUp {
        let code = (cause as? StoreError)?.code ?? .consumerFailed
        let count = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return GivenUp(
            error: StoreError(
                code,
                "the consumer \"\(consumer.name)\" gave up at change set \(sequence) after \(count): \(ErrorText.of(cause))",
                remedy: "correct the cause and start the consumer again, or set failurePolicy to .skip", cause: cause))
    }

    // MARK: Effects in the store

    /// Handles the next change sets with `body` in one transaction.
    ///
    /// - Parameter wanted: the sequence number of the first wanted change set.
    /// - Returns: the consumer's position afterwards.
    private func deal(
        with wanted: UInt64, _ body: @escaping @Sendable (ChangeSet, inout WriteTransaction) throws -> Void
    ) async throws -> Position {
        var limit = max(options.changeSetsPerCommit, 1)
        var attempt = 1
        while true {
            let step = ConsumerStep(consumer: consumer, first: wanted, limit: limit, body: body)
            do {
                return try await store.write { tx in try step.run(&tx) }
            } catch let error as StoreError where error.code == .tooLarge && limit > 1 {
                // The writes of several change sets do not fit into one entry of the log.
                limit = 1
            } catch let failure as ConsumerStep.Failure {
                // Retries one change set at a time, so that those before the failed one are handled and only its own attempts
                // count.
                if limit > 1 {
                    limit = 1
                    continue
                }
                if try await shallRetry(failure.sequence, &attempt, failure.error) { continue }
                let (name, generation) = (consumer.name, consumer.generation)
                return try await store.write { tx in
                    let position = try tx._reading.position(at: failure.sequence)
                    try tx.acknowledge(name, generation: generation, to: position, skipped: 1)
                    return position
                }
            }
        }
    }
}
