import LMDB
import StoreEngine

// Write closures of all objects that share the core: the stores and their models.
extension StoreCore {
    /// Runs `body` in a write transaction. See ``Store/write(durability:timeout:_:)``.
    func write<T: Sendable>(
        durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> Committed<T> {
        try Self.requireInRange(timeout)
        let result = ResultBox<T>()
        let job = makeJob(durability, timeout: timeout, body, result)
        let position = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Position, any Error>) in
                submit(job) { continuation.resume(with: $0) }
            }
        } onCancel: {
            job.withdraw()
        }
        return try committed(result, position)
    }

    /// Runs `body` in a write transaction and blocks until it is committed.
    func writeBlocking<T: Sendable>(
        durability: Durability?, timeout: Duration?,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> Committed<T> {
        try Self.requireInRange(timeout)
        let result = ResultBox<T>()
        let job = makeJob(durability, timeout: timeout, body, result)
        return try committed(result, try runHere(job))
    }

    /// Queues a write closure behind all queued ones, and calls `completion` when it is committed or has failed. If writes run on
    /// the calling threads, it calls `completion` before it returns.
    func submit(_ job: WriteJob, _ completion: @escaping WriteJob.Completion) {
        ThreadChanges.note()
        guard !options.worksOnCallers else {
            return completion(Result { try wait(for: job) { try runOrEnqueue(job) } })
        }
        job.onCompletion(completion)
        limit(job)
        do {
            try enqueue(job)
        } catch {
            job.complete(.failure(error))
        }
    }

    /// Runs a write closure on the calling thread if nothing else waits or runs. Otherwise waits until the writer has run it.
    ///
    /// With a timeout, the writer thread runs it: a thread that waits for LMDB's lock cannot give up. The exception is a store
    /// whose writes always run on the calling threads.
    private func runHere(_ job: WriteJob) throws -> Position {
        try wait(for: job) {
            guard job.timeout != nil, !options.worksOnCallers else { return try runOrEnqueue(job) }
            limit(job)
            try enqueue(job)
        }
    }

    private func wait(for job: WriteJob, _ begin: () throws -> Void) throws -> Position {
        let handover = Handover<Result<Position, any Error>>()
        job.onCompletion { handover.give($0) }
        try begin()
        return try handover.wait().get()
    }

    /// Withdraws a write closure if it has not begun when its timeout passes.
    private func limit(_ job: WriteJob) {
        guard let timeout = job.timeout else { return }
        deadlines.add(job, until: timeout.deadline) { [weak self] job in
            job.withdraw(StoreError.writeTimeout(timeout.duration, holder: self?.environment.writingProcess))
        }
    }

    /// - Throws: ``StoreError`` with the code `invalidValue` for a timeout outside the range of ``StoreOptions/writeTimeout``.
    private static func requireInRange(_ timeout: Duration?) throws(StoreError) {
        guard let timeout, timeout < .zero || timeout > .longestOption else { return }
        throw StoreError(
            .invalidValue, "the timeout of a write is \(timeout), outside its range",
            remedy: "set it to a value of 0 s to 36,525 days")
    }

    func makeJob<T: Sendable>(
        _ durability: Durability?, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T, _ result: ResultBox<T>
    ) -> WriteJob {
        WriteJob(
            durability: durability ?? options.durability, timeout: timeout ?? options.writeTimeout,
            context: makeContext()
        ) { [environment] transaction in
            try WriteClosure.run(of: environment) { result.set(try body(&transaction)) }
        }
    }

    /// Gives a notice for a read of the store inside one of its write closures.
    func noteReadBesideWrite() {
        ownership.notify(
            OwnershipNotice(
                .readBesideWrite,
                "a write closure read the store itself, which has the state before the write; read with the transaction of the "
                    + "closure, as in tx.get(_:id:) or tx.fetch(_:)",
                line: nil))
    }

    func committed<T: Sendable>(_ result: ResultBox<T>, _ position: Position) throws -> Committed<T> {
        guard let value = result.get() else {
            throw StoreError(.other, "a write was committed without a result")
        }
        return Committed(result: value, position: position)
    }
}
