import Foundation
import StoreRuntime

/// Calls a log from a thread that waits for the answer.
package struct LogCaller: Sendable {
    let log: any SharedLog

    package init(_ log: any SharedLog) { self.log = log }

    /// Whether time does not pass in the log: no pause is made.
    var isSimulated: Bool { (log as? any BlockingLog)?.isSimulated == true }

    /// Appends an entry, again and again while the answers are lost.
    package func append(_ entry: LogEntry) -> AppendAttempt.Step {
        var attempt = AppendAttempt(entry)
        let start = ContinuousClock.now
        var paused = Duration.zero
        var step = AppendAttempt.Step.send(after: .zero)
        while case .send(let pause) = step {
            paused += pause
            if pause > .zero, !isSimulated { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
            let answer: Result<AppendOutcome, SharedLogError> = call { log throws(SharedLogError) in
                try log.appendNow(entry)
            } waiting: { log throws(SharedLogError) in
                try await log.append(entry)
            }
            step = attempt.received(answer, elapsed: isSimulated ? paused : .now - start)
        }
        return step
    }

    /// Returns the entries after a position.
    package func entries(after position: LogPosition, maximumByteCount: Int) throws(SharedLogError) -> LogBatch {
        try call { log throws(SharedLogError) in
            try log.entriesNow(after: position, maximumByteCount: maximumByteCount)
        } waiting: { log throws(SharedLogError) in
            try await log.entries(after: position, maximumByteCount: maximumByteCount)
        }
        .get()
    }

    /// Returns the registers whose keys begin with a prefix.
    package func registers(prefix: String) throws(SharedLogError) -> [LogRegister] {
        try wait { log throws(SharedLogError) in try await log.registers(prefix: prefix) }.get()
    }

    private func call<T: Sendable>(
        _ now: (any BlockingLog) throws(SharedLogError) -> T,
        waiting: @escaping @Sendable (any SharedLog) async throws(SharedLogError) -> T
    ) -> Result<T, SharedLogError> {
        if let log = log as? any BlockingLog {
            do throws(SharedLogError) { return .success(try now(log)) } catch { return .failure(error) }
        }
        return wait(waiting)
    }

    private func wait<T: Sendable>(
        _ body: @escaping @Sendable (any SharedLog) async throws(SharedLogError) -> T
    ) -> Result<T, SharedLogError> {
        let answer = Handover<Result<T, SharedLogError>>()
        Task.detached { [log] in
            do throws(SharedLogError) {
                answer.give(.success(try await body(log)))
            } catch {
                answer.give(.failure(error))
            }
        }
        return answer.wait()
    }
}
