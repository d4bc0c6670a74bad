import StoreEngine

/// Counts what a batch of write closures comes to, for ``StoreOptions/onEvent``.
struct CommitTally {
    /// A commit that was made.
    private struct Commit {
        let first: UInt64
        let head: FeedHead
    }

    private let began = ContinuousClock.now
    private var keptCount = 0
    private var failedCount = 0
    private var changeCount = 0
    private var foreignSequence: UInt64?
    private var commit: Commit?
    private var failure: StoreError?

    /// Forgets what a pass counted that runs again; the time goes on.
    mutating func beginPass() {
        (keptCount, failedCount, changeCount) = (0, 0, 0)
        foreignSequence = nil
    }

    /// A closure was kept.
    mutating func keep(changes: Int) {
        keptCount += 1
        changeCount += changes
    }

    /// A closure was undone.
    mutating func undo() { failedCount += 1 }

    /// A reset stands in the feed for what a foreign program wrote.
    mutating func noteForeignWrite(_ head: FeedHead) { foreignSequence = head.sequence }

    /// The commit was made.
    mutating func commit(after first: UInt64, _ head: FeedHead) { commit = Commit(first: first, head: head) }

    /// The commit was not made.
    mutating func fail(_ error: StoreError) { failure = error }

    /// What there is to tell, now.
    func events(_ state: StoreState) -> [StoreEvent] {
        if let failure { return [.commitFailed(closureCount: keptCount, error: failure)] }
        guard let commit else { return [] }
        let resets: [StoreEvent] = foreignSequence.map { [.foreignWrite(sequence: $0)] } ?? []
        // The reset's own commit when all closures threw.
        guard keptCount > 0 else { return resets }
        let added = Int(commit.head.sequence - commit.first)
        let report = CommitReport(
            position: Position(store: state.identity, head: commit.head), closureCount: keptCount,
            failedClosureCount: failedCount, changeSetCount: added - resets.count, changeCount: changeCount,
            duration: .now - began)
        return resets + [.committed(report)]
    }
}
