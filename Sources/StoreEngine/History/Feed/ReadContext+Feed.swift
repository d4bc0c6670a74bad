import LMDB

// Positions in the feed of one snapshot.
extension ReadContext {
    /// Returns the newest position.
    package func feedPosition() throws(StoreError) -> Position { Position(store: state.identity, head: try feedHead()) }

    /// Returns the oldest position from which a reader can resume the feed.
    package func oldestPosition() throws(StoreError) -> Position {
        let head = try feedHead()
        return try position(at: head.oldest - 1, head)
    }

    /// Returns the position after the change set with this sequence number.
    ///
    /// - Throws: ``StoreError``: `positionCompacted` (with the oldest position), `positionInFuture`.
    package func position(at sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        guard sequence <= head.sequence else { throw inFuture(sequence, head) }
        guard sequence + 1 >= head.oldest else { throw try compacted(sequence, head) }
        return try position(at: sequence, head)
    }

    /// Checks that a reader can resume the feed after a position.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionCompacted` (with the oldest
    ///   position), `positionDiverged`.
    package func requireResumable(_ position: Position) throws(StoreError) {
        let head = try feedHead()
        try requireKnown(position, head)
        try requireRetained(position.sequence, head)
        guard try self.position(at: position.sequence, head).hash == position.hash else {
            throw ReadContext.diverged(position)
        }
    }

    /// Checks that a position belongs to this store and, as far as the feed shows, to its history. The position may be in the
    /// future, or compacted.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionDiverged`.
    package func requireOwn(_ position: Position) throws(StoreError) {
        try requireThisStore(position)
        let head = try feedHead()
        guard position.sequence <= head.sequence, position.sequence + 1 >= head.oldest else { return }
        guard try self.position(at: position.sequence, head).hash == position.hash else {
            throw ReadContext.diverged(position)
        }
    }

    /// Checks that a position belongs to this store and is not in the future.
    func requireKnown(_ position: Position, _ head: FeedHead) throws(StoreError) {
        try requireThisStore(position)
        guard position.sequence <= head.sequence else { throw inFuture(position.sequence, head) }
    }

    private func requireThisStore(_ position: Position) throws(StoreError) {
        guard position.store == state.identity else {
            throw StoreError(
                .positionOfAnotherStore,
                "the position belongs to the store \(position.store), but this store is \(state.identity)",
                remedy: "open the store of the position, or start from a new position")
        }
    }

    /// The error for a position that is not part of the store's history.
    static func diverged(_ position: Position) -> StoreError {
        StoreError(
            .positionDiverged,
            "change set \(position.sequence) is not the change set of the position: the store was restored "
                + "from a backup, or lost its last commits in a power failure",
            remedy: "read the records again and continue from their position")
    }

    /// Checks that all change sets after a sequence number are retained.
    func requireRetained(_ sequence: UInt64, _ head: FeedHead) throws(StoreError) {
        guard sequence + 1 >= head.oldest else { throw try compacted(sequence, head) }
    }

    func position(at sequence: UInt64, _ head: FeedHead) throws(StoreError) -> Position {
        if sequence == head.sequence { return Position(store: state.identity, head: head) }
        let after = try feedHeader(sequence + 1)
        // The epoch of a removed change set is not known. Resuming the feed does not compare it.
        let epoch = sequence < head.oldest ? after.epoch : try feedHeader(sequence).epoch
        return Position(store: state.identity, epoch: epoch, sequence: sequence, hash: after.previousHash)
    }

    private func feedHeader(_ sequence: UInt64) throws(StoreError) -> FeedEntryHeader {
        try FeedReader.header(sequence, in: state.databases.feed, snapshot)
    }

    func inFuture(_ sequence: UInt64, _ head: FeedHead) -> StoreError {
        var error = StoreError(
            .positionInFuture, "the position is after change set \(sequence), but the newest is \(head.sequence)",
            remedy: "check whether the store was restored from a backup, and start from a position that it has")
        error.oldestPosition = try? position(at: head.oldest - 1, head)
        return error
    }

    func compacted(_ sequence: UInt64, _ head: FeedHead) throws(StoreError) -> StoreError {
        let floor = try trailHead()?.floor
        let trail = floor.map { ", and the difference by record is available after \($0)" } ?? ""
        var error = StoreError(
            .positionCompacted,
            "change sets after \(sequence) are no longer retained, and the oldest is \(head.oldest)" + trail,
            remedy: "read the records and continue from their position, or retain more change sets")
        error.oldestPosition = try position(at: head.oldest - 1, head)
        error.oldestComparablePosition = floor
        return error
    }
}
