import LMDB
import StoreEngine

/// Runs write closures in LMDB transactions: one commit for a batch, and each closure all-or-nothing in it.
///
/// Used by one thread at a time: the writer thread, or a caller that runs its own write.
struct BatchRunner: Sendable {
    let environment: LMDBEnvironment
    let notifier: FeedNotifier
    let dispatcher: Dispatcher
    /// Removes change sets that are no longer retained, after this batch.
    let retention: RetentionSchedule
    /// Orders the commits of this store and of its replicas.
    let log: (any CommitLog)?
    /// Receives the outcome of each batch.
    let onEvent: (@Sendable (StoreEvent) -> Void)?

    /// How one closure ended before the commit.
    private enum Outcome: Sendable {
        case done(FeedHead)
        case failed(any Error)

        /// The outcome when the commit has failed. A closure that threw keeps its own error.
        func failing(with error: any Error) -> Outcome { if case .done = self { .failed(error) } else { self } }
    }

    /// The result of one pass over a batch.
    private enum Pass {
        case committed([Outcome])
        /// Committed, with a write that has no change set.
        case keptHouse([Outcome])
        /// Committed, with new change sets.
        case extended([Outcome], FeedHead, entries: [WrittenEntry?])
        /// The catalog in the store differs from the one in `state`.
        case catalogChanged
        /// The map or the store was too small. Everything reruns after it has grown, or after unused pages became usable.
        case full(StoreError, freesSpace: Bool)
        /// The log has entries that the store lacks. Everything reruns after they are applied.
        case behind
        /// The log has the change sets, but the commit here failed. The store gets them from the log.
        case onlyLogged([Outcome], FeedHead, StoreError)
        /// The closures together are too large for an entry of the log. Each commits alone.
        case tooLargeForLog
    }

    /// The most passes over a batch of a store whose log orders the commits of several stores.
    private static let maximumLoggedPasses = 64

    /// The most passes over a batch, which reruns if the map was full or the catalog changed.
    private static let maximumPasses = 8
    /// How long a batch that found the store full reruns.
    private static let fullPatience = Duration.seconds(3)

    /// Runs the closures and completes each with its outcome.
    ///
    /// - Parameters:
    ///   - state: returns the store's state as this process knows it.
    ///   - reload: replaces the state after another process changed the catalog.
    func run(_ waiting: [WriteJob], state: () -> StoreState, reload: () throws -> Void) {
        var jobs = waiting.filter { !$0.isEnded }
        if jobs.isEmpty { return }
        var grown = false
        var lastFull: StoreError?
        var fullSince: ContinuousClock.Instant?
        var tally = onEvent == nil ? nil : CommitTally()
        do {
            let hasFewPasses = log == nil && !environment.hasQuota
            for _ in 0..<(hasFewPasses ? BatchRunner.maximumPasses : BatchRunner.maximumLoggedPasses) {
                let current = state()
                let pass = try pass(&jobs, current, &tally)
                let begun = jobs
                switch pass {
                case .committed(let outcomes):
                    report(tally, current)
                    return complete(begun, outcomes, current)
                case .keptHouse(let outcomes):
                    notifier.committedAside()
                    report(tally, current)
                    return complete(begun, outcomes, current)
                case .extended(let outcomes, let head, let entries):
                    notifier.committed(head.sequence, entries)
                    report(tally, current)
                    publish(head, begun, outcomes, current)
                    if head.sequence >= retention.feedHeldUntil, retention.isDue(head, current) { retention.trim() }
                    return
                case .catalogChanged: try reload()
                case .full(let failure, let freesSpace):
                    if failure.code == .mapFull {
                        try grow()
                        grown = true
                    } else if isInTime(&fullSince), retention.makeRoom(trims: freesSpace && begun.count == 1) {
                        lastFull = failure
                    } else if begun.count > 1 {
                        // Those that free space shall not fail with those that need it.
                        for job in begun { run([job], state: state, reload: reload) }
                        return
                    } else {
                        tally?.fail(failure)
                        report(tally, current)
                        return complete(begun, [.failed(failure)], current)
                    }
                case .behind:
                    try log?.catchUp()
                    try log?.holdBack()
                case .tooLargeForLog:
                    for job in begun { run([job], state: state, reload: reload) }
                    return
                case .onlyLogged(let outcomes, let head, let failure):
                    if let unapplied = applyLogged(failure) {
                        onEvent?(.commitFailed(closureCount: begun.count, error: unapplied))
                        return complete(begun, outcomes.map { $0.failing(with: unapplied) }, current)
                    }
                    return publish(head, begun, outcomes, current)
                }
            }
            guard log == nil else {
                throw StoreError(
                    .tooManyConflicts, "other replicas wrote first, \(BatchRunner.maximumLoggedPasses) times in a row",
                    remedy: "write more changes in each closure, or write from fewer replicas")
            }
            throw lastFull
                ?? StoreError(.mapFull, "the map is still full after growing", remedy: grown ? nil : "free disk space")
        } catch {
            // A closure whose timeout passes before it begins has no commit that could fail.
            let isTimeout = (error as? StoreError)?.code == .writeTimeout
            if !isTimeout { onEvent?(.commitFailed(closureCount: jobs.count, error: error)) }
            let holder = isTimeout ? environment.writingProcess : nil
            for job in jobs {
                let own = isTimeout ? job.timeout.map { StoreError.writeTimeout($0.duration, holder: holder) } : nil
                job.complete(.failure(own ?? error))
            }
        }
    }

    private func report(_ tally: CommitTally?, _ state: StoreState) {
        guard let onEvent, let tally else { return }
        for event in tally.events(state) { onEvent(event) }
    }

    /// Applies what the log has of this batch, after the commit of the same failed.
    ///
    /// - Returns: the error of the writes if that fails.
    private func applyLogged(_ failure: StoreError) -> StoreError? {
        do {
            if failure.code == .mapFull { try grow() }
            try log?.catchUp()
            return nil
        } catch {
            return StoreError(
                .outcomeUnknown, "the log has the write, but this replica could not apply it: \(failure.message)",
                remedy: failure.remedy, cause: failure)
        }
    }

    /// Completes the closures once models and live results have their changes: a task always sees its own writes there too.
    private func publish(_ head: FeedHead, _ jobs: [WriteJob], _ outcomes: [Outcome], _ state: StoreState) {
        guard dispatcher.isRunning else { return complete(jobs, outcomes, state) }
        dispatcher.afterPublishing(head.sequence) { complete(jobs, outcomes, state) }
    }

    private func complete(_ jobs: [WriteJob], _ outcomes: [Outcome], _ state: StoreState) {
        for (job, outcome) in zip(jobs, outcomes) {
            switch outcome {
            case .done(let head): job.complete(.success(Position(store: state.identity, head: head)))
            case .failed(let error): job.complete(.failure(error))
            }
        }
    }

    /// Whether a batch that found the store full may rerun: other processes can take the pages that it waits for.
    private func isInTime(_ fullSince: inout ContinuousClock.Instant?) -> Bool {
        let start = fullSince ?? .now
        fullSince = start
        return start.duration(to: .now) < BatchRunner.fullPatience
    }

    private func grow() throws(StoreError) {
        // Evaluated outside the optional call: Swift skips the arguments when onEvent is nil, and the map must still grow.
        let byteCount = try environment.double()
        onEvent?(.mapGrew(byteCount: byteCount))
    }

    private func pass(
        _ jobs: inout [WriteJob], _ state: StoreState, _ tally: inout CommitTally?
    ) throws -> Pass {
        tally?.beginPass()
        // The log makes a replica's commits durable: after a loss of power, the replica applies its entries again.
        let syncsMeta = log == nil && jobs.contains { $0.durability == .full }
        let patience = WriteJob.patience(jobs)
        var parent = try mapLMDB { () throws(LMDBError) in
            try environment.beginWrite(syncsMeta: syncsMeta, patience: patience)
        }
        // Starts the jobs only now: another process may have held the lock for longer than a caller waits.
        jobs = jobs.filter { $0.start() }
        if jobs.isEmpty { return .committed([]) }
        guard try StoreFormat.catalogVersion(state.databases, parent.snapshot) == state.catalog.version else {
            return .catalogChanged
        }
        var head = try StoreFormat.head(state.databases, parent.snapshot)
        let first = head.sequence
        var wrote = try ForeignWrites.note(&head, state.databases, jobs[0].context, in: &parent)
        if wrote, log != nil { throw ForeignWrites.inReplica }
        var aside = WrittenAside()
        if wrote { tally?.noteForeignWrite(head) }
        var freesSpace = true
        var outcomes: [Outcome] = []
        var entries: [WrittenEntry?] = wrote ? [nil] : []
        outcomes.reserveCapacity(jobs.count)
        if jobs.count == 1 {
            // A closure that is alone in its commit needs no child transaction: undoing the closure undoes the commit.
            switch runAlone(jobs[0], state, head, parent) {
            case .undone(let error): return .committed([.failed(error)])
            case .full(let error, let freesSpace): return .full(error, freesSpace: freesSpace)
            case .kept(let finished):
                freesSpace = finished.freesSpace
                tally?.keep(changes: finished.changeCount)
                wrote = wrote || finished.didWrite
                aside.add(finished)
                if head.sequence < finished.head.sequence { entries.append(finished.entry) }
                head = finished.head
                outcomes.append(.done(head))
                parent = finished.intoRaw()
            }
        } else {
            for job in jobs {
                let child = try mapLMDB { () throws(LMDBError) in try parent.beginChild() }
                switch runAlone(job, state, head, child) {
                case .undone(let error):
                    tally?.undo()
                    outcomes.append(.failed(error))
                case .full(let error, _): return .full(error, freesSpace: false)
                case .kept(let finished):
                    freesSpace = freesSpace && finished.freesSpace
                    tally?.keep(changes: finished.changeCount)
                    wrote = wrote || finished.didWrite
                    aside.add(finished)
                    if head.sequence < finished.head.sequence { entries.append(finished.entry) }
                    head = finished.head
                    outcomes.append(.done(head))
                    if let failure = finished.intoRaw().commitFailure() {
                        if failure.isFull { return .full(failure, freesSpace: false) }
                        throw failure
                    }
                }
            }
        }
        guard wrote else { return .committed(outcomes) }
        if freesSpace { parent.useReserve() }
        do {
            try head.write(
                since: first, now: jobs[0].context.time, heldUntil: retention.feedHeldUntil, state, in: &parent)
        } catch {
            if error.isFull { return .full(error, freesSpace: freesSpace) }
            throw error
        }
        var isLogged = false
        do {
            // An entry of the log cannot be taken back.
            if log != nil { try mapLMDB { () throws(LMDBError) in try parent.requireReserve() } }
            isLogged = try log?.order(after: first, to: head, aside, state, &parent) ?? false
        } catch is CommitLogIsAhead {
            return .behind
        } catch let error as StoreError where error.code == .tooLarge && jobs.count > 1 {
            return .tooLargeForLog
        } catch {
            let failure = error as? StoreError ?? StoreError(.other, "\(error)", cause: error)
            if failure.isFull { return .full(failure, freesSpace: freesSpace) }
            tally?.fail(failure)
            return .committed(outcomes.map { $0.failing(with: failure) })
        }
        if let failure = parent.commitFailure() {
            if isLogged { return .onlyLogged(outcomes, head, failure) }
            if failure.isFull { return .full(failure, freesSpace: freesSpace) }
            tally?.fail(failure)
            return .committed(outcomes.map { $0.failing(with: failure) })
        }
        if isLogged { log?.committed() }
        tally?.commit(after: first, head)
        return head.sequence > first
            ? .extended(outcomes, head, entries: entries) : .keptHouse(outcomes)
    }

    private func runAlone(
        _ job: WriteJob, _ state: StoreState, _ head: FeedHead, _ raw: consuming LMDBWriteTransaction
    ) -> ClosureEnd {
        ClosureEnd.run(
            job.body, job.context, state, head, raw, keepsEntry: notifier.wantsEntries, sumsContent: log != nil)
    }
}

extension LMDBEnvironment {
    /// Makes room for a write that found the map full.
    ///
    /// - Returns: the map's new size in bytes.
    func double() throws(StoreError) -> Int {
        try mapLMDB { () throws(LMDBError) in
            // A killed reader may be keeping pages from being reused.
            try clearStaleReaders()
            try grow(to: try info().mapSize * 2, waitingAtMost: 10)
            return try info().mapSize
        }
    }
}

extension StoreError {
    /// Whether this is the error of a full map or store, after which everything reruns with more room. The error of another
    /// store, which a closure may throw, is none.
    var isFull: Bool { (code == .mapFull || code == .storeFull) && cause is LMDBError }
}
