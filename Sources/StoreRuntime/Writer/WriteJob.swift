import LMDB
import StoreEngine

/// One write closure on its way through the writer.
///
/// It is withdrawn (by cancellation or its timeout) or started, whichever comes first, and completed exactly once.
final class WriteJob: Sendable {
    private enum Phase {
        /// Not queued yet, or waiting in the queue.
        case waiting(Completion?)
        /// Taken by the writer.
        case running(Completion?)
        /// Completed or withdrawn.
        case ended
    }

    typealias Completion = @Sendable (Result<Position, any Error>) -> Void

    let durability: Durability
    /// The longest wait until the closure begins, and its deadline; nil for no limit.
    let timeout: (duration: Duration, deadline: ContinuousClock.Instant)?
    let context: WriteContext
    let body: @Sendable (inout WriteTransaction) throws -> Void
    private let phase = HandoverMutex<Phase>(.waiting(nil))

    init(
        durability: Durability, timeout: Duration? = nil, context: WriteContext,
        body: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) {
        self.durability = durability
        self.timeout = timeout.map { ($0, .now + $0) }
        self.context = context
        self.body = body
    }

    /// Sets the closure that receives the outcome. If the job was already withdrawn, it receives that at once.
    func onCompletion(_ completion: @escaping Completion) {
        let isWithdrawn = phase.withLock { phase in
            guard case .waiting = phase else { return true }
            phase = .waiting(completion)
            return false
        }
        if isWithdrawn { completion(.failure(CancellationError())) }
    }

    /// Whether the job was withdrawn or completed.
    var isEnded: Bool {
        phase.withLock { phase in
            if case .ended = phase { return true }
            return false
        }
    }

    /// Takes the job for running, also again for a rerun. Returns false if it was withdrawn.
    func start() -> Bool {
        phase.withLock { phase in
            switch phase {
            case .waiting(let completion):
                phase = .running(completion)
                return true
            case .running: return true
            case .ended: return false
            }
        }
    }

    /// Withdraws the job if the writer has not taken it.
    ///
    /// - Parameter error: the error that its caller receives.
    func withdraw(_ error: any Error = CancellationError()) {
        let completion = phase.withLock { phase -> Completion? in
            guard case .waiting(let completion) = phase else { return nil }
            phase = .ended
            return completion
        }
        completion?(.failure(error))
    }

    /// Completes the job with its result.
    func complete(_ result: Result<Position, any Error>) {
        let completion = phase.withLock { phase -> Completion? in
            switch phase {
            case .waiting(let completion), .running(let completion):
                phase = .ended
                return completion
            case .ended: return nil
            }
        }
        completion?(result)
    }

    /// Returns how long to wait for another process on behalf of some closures: until the last of their deadlines. Returns nil,
    /// for no limit, if a closure has no timeout.
    static func patience(_ jobs: [WriteJob]) -> Duration? {
        var latest: ContinuousClock.Instant?
        for job in jobs {
            guard let timeout = job.timeout else { return nil }
            latest = max(latest ?? timeout.deadline, timeout.deadline)
        }
        return latest.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
    }
}
