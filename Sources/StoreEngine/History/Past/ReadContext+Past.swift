import LMDB

extension ReadContext {
    /// Returns the feed's head, if the feed covers all contents of this snapshot.
    ///
    /// - Throws: ``StoreError``: `historyUnavailable` when a program that is not ModelStore has written since the newest change
    ///   set.
    package func completeHead() throws(StoreError) -> FeedHead {
        let head = try feedHead()
        if head.transactionID == UInt64(snapshot.transactionID) { return head }
        throw unknown("a program that is not ModelStore wrote to the store", before: head.sequence + 1)
    }

    /// The number of changes to read from the feed at once.
    private static let changesAtOnce = 4_096

    /// Calls `body` with the change sets between two positions, in order, and with large ones in parts.
    ///
    /// - Parameters:
    ///   - position: the earlier position, from which the feed can be resumed.
    ///   - sequence: the sequence number of the last change set.
    /// - Throws: any error that `body` throws; ``StoreError``: `historyUnavailable` when the change sets do not contain all
    ///   changes; `damaged`.
    func forEachPart(
        after position: Position, upTo sequence: UInt64, _ body: (FeedPart) throws(StoreError) -> Void
    ) throws(StoreError) {
        var walk = FeedWalk(after: position)
        while walk.position.sequence < sequence {
            let rest = Int(sequence - walk.position.sequence)
            let parts = try walk.read(self, FeedWalk.Limits(changes: Self.changesAtOnce, changeSets: rest))
            guard !parts.isEmpty else {
                throw StoreError(
                    .damaged, "change set \(walk.position.sequence + 1) of the feed is missing",
                    remedy: "run `store-cli verify`")
            }
            for part in parts {
                try requireReconstructible(part)
                try body(part)
            }
        }
    }

    /// Fails for a change set whose earlier state cannot be reconstructed.
    private func requireReconstructible(_ part: FeedPart) throws(StoreError) {
        for change in part.changes {
            if change.kind == .reset {
                throw unknown("a program that is not ModelStore wrote to the store before it", before: part.sequence)
            }
            if state.catalog.typeIndex(ofID: change.type) == nil {
                throw unknown(
                    "it changes a record type that a later migration replaced", before: part.sequence)
            }
        }
    }

    private func unknown(_ reason: String, before sequence: UInt64) -> StoreError {
        StoreError(
            .historyUnavailable, "the contents before change set \(sequence) are not available: \(reason)",
            remedy: "read a later position, or restore an earlier backup to another directory")
    }
}
