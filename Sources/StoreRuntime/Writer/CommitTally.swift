import StoreEngine

/// Counts the outcomes of a batch of write closures, for ``StoreOptions/onEvent``.
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

    /// Forgets the counts of a pass that reruns. The time continues.
    mutating func beginPass() {
        (keptCount, failedCount, changeCount) = (0, 0, 0)
        foreignSequence = nil
    }

    /// Counts a closure that was kept.
    mutating func keep(changes: Int) {
        keptCount += 1
        changeCount += changes
    }

    /// Counts a closure that was undone.
    mutating func undo() { failedCount += 1 }

    /// Notes the reset that the feed holds for the writes of a foreign program.
    mutating func noteForeignWrite(_ head: FeedHead) { foreignSequence = head.sequence }

    /// Notes that the commit was made.
    mutating func commit(after first: UInt64, _ head: FeedHead) { commit = Commit(first: first, head: head) }

    /// Notes that the commit failed.
    mutating func fail(_ error: StoreError) { failure = error }

    /// Returns the events to report now.
    func events(_ state: StoreState) -> [StoreEvent] {
        if let failure { return [.commitFailed(closureCount: keptCount, error: failure)] }
        guard let commit else { return [] }
        let resets: [StoreEvent] = foreignSequence.map { [.foreignWrite(sequence: $0)] } ?? []
        // If all closures threw, the commit holds only the reset.
        guard keptCount > 0 else { return resets }
        let added = Int(commit.head.sequence - commit.first)
        let report = CommitReport(
            position: Position(store: state.identity, head: commit.head), closureCount: keptCount,
            failedClosureCount: failedCount, changeSetCount: added - resets.count, changeCount: changeCount,
            duration: .now - began)
        return resets + [.committed(report)]
    }
}
