import StoreEngine

// Write closures of all who share the core: the stores, and their models.
extension StoreCore {
    /// Runs `body` in a write transaction. See ``Store/write(durability:_:)``.
    func write<T: Sendable>(
        durability: Durability? = nil, _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> Committed<T> {
        let result = ResultBox<T>()
        let job = makeJob(durability, body, result)
        let position = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Position, any Error>) in
                submit(job) { continuation.resume(with: $0) }
            }
        } onCancel: {
            job.withdraw()
        }
        return try committed(result, position)
    }

    /// Queues a write closure, after all that were queued before, and calls `completion` when it is committed or failed. Where
    /// writes are done on the threads of those who ask, that is before this returns.
    func submit(_ job: WriteJob, _ completion: @escaping WriteJob.Completion) {
        ThreadChanges.note()
        guard !options.worksOnCallers else { return completion(Result { try runHere(job) }) }
        job.onCompletion(completion)
        do {
            try enqueue(job)
        } catch {
            job.complete(.failure(error))
        }
    }

    /// Runs a write closure on the calling thread if nothing else waits or runs, and else waits until the writer has.
    func runHere(_ job: WriteJob) throws -> Position {
        let handover = Handover<Result<Position, any Error>>()
        job.onCompletion { handover.give($0) }
        try runOrEnqueue(job)
        return try handover.wait().get()
    }

    func makeJob<T: Sendable>(
        _ durability: Durability?, _ body: @escaping @Sendable (inout WriteTransaction) throws -> T,
        _ result: ResultBox<T>
    ) -> WriteJob {
        WriteJob(durability: durability ?? options.durability, context: makeContext()) { transaction in
            result.set(try body(&transaction))
        }
    }

    func committed<T: Sendable>(_ result: ResultBox<T>, _ position: Position) throws -> Committed<T> {
        guard let value = result.get() else {
            throw StoreError(.other, "a write was committed without a result")
        }
        return Committed(result: value, position: position)
    }
}
