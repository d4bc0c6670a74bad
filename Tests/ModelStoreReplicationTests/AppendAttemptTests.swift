import Foundation
import ModelStoreReplication
import StoreRuntime
import Testing

/// The outcome of an append whose answers are lost.
struct AppendAttemptTests {
    private let start = LogPosition.start(generation: 1)
    private let lost = SharedLogError(.unknown, "lost")
    private let refused = SharedLogError(.unavailable, "refused")

    private func entry(after position: LogPosition, node: String = "a") -> LogEntry {
        LogEntry(after: position, node: node, LoggedEntry(changeSets: []))
    }

    private func batch(_ entries: [LogEntry], floor: LogPosition? = nil) -> LogBatch {
        LogBatch(entries: entries, head: entries.last?.position ?? start, floor: floor ?? start)
    }

    @Test func `a definite answer decides at once`() {
        let own = entry(after: start)
        let other = batch([entry(after: start, node: "b")])
        var attempt = AppendAttempt(own)
        #expect(attempt.received(.success(.appended), elapsed: .zero) == .appended)
        #expect(attempt.received(.success(.conflict(other)), elapsed: .zero) == .behind(other))
        #expect(attempt.received(.failure(refused), elapsed: .zero) == .failed(refused))
        #expect(!attempt.isInDoubt)
    }

    @Test func `after a lost answer, the entry at the place decides`() {
        let own = entry(after: start)
        let own2 = entry(after: own.position, node: "b")
        let other = entry(after: start, node: "b")
        for (entries, expected) in [
            ([own], AppendAttempt.Step.appended), ([own, own2], .appended), ([other], .behind(batch([other]))),
        ] {
            var attempt = AppendAttempt(own)
            #expect(attempt.received(.failure(lost), elapsed: .zero) == .send(after: .milliseconds(10)))
            #expect(attempt.isInDoubt)
            #expect(attempt.received(.success(.conflict(batch(entries))), elapsed: .zero) == expected)
        }
    }

    @Test func `a place that was trimmed leaves the outcome unknown`() {
        let own = entry(after: start)
        let other = entry(after: start, node: "b")
        var attempt = AppendAttempt(own)
        _ = attempt.received(.failure(lost), elapsed: .zero)
        let trimmed = LogBatch(entries: [], head: other.position, floor: other.position)
        #expect(attempt.received(.success(.conflict(trimmed)), elapsed: .zero) == .unknown)
    }

    @Test func `an append in doubt is repeated with growing pauses, whatever the error, until its patience ends`() {
        var attempt = AppendAttempt(entry(after: start), patience: .seconds(2))
        var elapsed = Duration.zero
        var pauses: [Duration] = []
        var step = attempt.received(.failure(lost), elapsed: elapsed)
        while case .send(let pause) = step {
            pauses.append(pause)
            elapsed += pause
            step = attempt.received(.failure(refused), elapsed: elapsed)
        }
        #expect(step == .unknown)
        let first: [Duration] = [.milliseconds(10), .milliseconds(20), .milliseconds(40), .milliseconds(80)]
        #expect(Array(pauses.prefix(4)) == first)
        #expect(pauses.last == .milliseconds(500))
    }
}
