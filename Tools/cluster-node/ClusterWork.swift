import Foundation
import ModelStore
import ModelStoreReplication

/// The work of a node during the rounds: writes and reads one after the other, and a consumer.
struct ClusterWork {
    /// The errors of a write that is certainly not in the log.
    private static let refusals: Set<String> = ["logUnavailable", "logFull", "tooManyConflicts", "replicaStale"]
    private static let pause = Duration.milliseconds(5)

    let store: Store
    let node: String

    /// Writes and reads until the task is cancelled.
    func run() async {
        var number = 0
        while !Task.isCancelled {
            number += 1
            await write("\(node)-\(ProcessInfo.processInfo.processIdentifier)-\(number)")
            if number.isMultiple(of: 10) { await read() }
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func write(_ token: String) async {
        let began = Journal.now
        do {
            let number = try await store.write { tx in
                let number = try Counter.raise(Counter.steps, &tx)
                try tx.insert(Step(token: token, number: number))
                return number
            }
            let span = Journal.Span(began: began, ended: Journal.now)
            Journal.say(Journal.written(Journal.Write(token: token, span: span, number: number)).line)
        } catch {
            let code = (error as? StoreError)?.code.description ?? ""
            if Self.refusals.contains(code) { return Journal.say(Journal.refused(token: token).line) }
            await settle(token, began: began, (error as? StoreError)?.cause as? UnknownWrite)
        }
    }

    /// Asks what became of a write without an answer.
    private func settle(_ token: String, began: UInt64, _ write: UnknownWrite?) async {
        var journal = Journal.unknown(token: token)
        if let write, let outcome = try? await store.outcome(of: write) {
            switch outcome {
            case .notCommitted: journal = .refused(token: token)
            case .committed:
                // The record must be there now, as after a write that returns. The number 0 is wrong in any case.
                let step = try? store.read { tx in try tx.get(Step.self, id: token) }
                let span = Journal.Span(began: began, ended: Journal.now)
                journal = .written(Journal.Write(token: token, span: span, number: step?.number ?? 0))
            }
        }
        Journal.say(journal.line)
    }

    private func read() async {
        let began = Journal.now
        let found = try? await store.read(.linearizable) { tx in
            try tx.get(Counter.self, id: Counter.steps)?.count ?? 0
        }
        guard let count = found else { return }
        let span = Journal.Span(began: began, ended: Journal.now)
        Journal.say(Journal.read(Journal.Read(span: span, count: count)).line)
    }

    /// Counts the steps in the store, on one node at a time.
    func consume() async {
        do {
            try await store.consume("steps", ConsumerOptions(only: FeedFilter(Step.self))) { set, tx in
                try Counter.raise(Counter.consumed, by: set.changes(of: Step.self).count, &tx)
            }
        } catch {
            Journal.say("consumer \(error)")
        }
    }
}
