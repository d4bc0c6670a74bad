import LMDB

// Positions older than those that the feed retains.
extension ReadContext {
    /// Returns the first stored change set after a sequence number, even if it is no longer retained; nil if there is none.
    func firstStored(after sequence: UInt64) throws(StoreError) -> UInt64? {
        var key = ByteWriter(capacity: 8)
        key.append(bigEndian: sequence + 1)
        do {
            var cursor = try snapshot.openCursor(state.databases.feed)
            guard try cursor.seek(atLeast: key.bytes) else { return nil }
            return try cursor.key.loadInteger(at: 0, as: UInt64.self).byteSwapped
        } catch {
            throw StoreError(reading: error, at: "the feed")
        }
    }

    /// Returns the position after a change set. That change set must be the newest, or the next one must be stored.
    func storedPosition(at sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        if sequence == head.sequence { return Position(store: state.identity, head: head) }
        let next = try FeedReader.header(sequence + 1, in: state.databases.feed, snapshot)
        return Position(store: state.identity, epoch: next.epoch, sequence: sequence, hash: next.previousHash)
    }

    /// Returns how far the trail reaches back and forward; nil if the store has no trail.
    package func trailHead() throws(StoreError) -> TrailHead? { try TrailReader(state.databases, snapshot)?.head }

    /// Checks that the store can compute the difference since a position, which need not be retained any more.
    ///
    /// The hash of a change set that has left the feed is not known. For such a position, only the epoch is compared with the
    /// store's history.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionDiverged`; `positionCompacted` when the
    ///   trail does not reach back that far.
    package func requireDifference(since position: Position) throws(StoreError) {
        let head = try feedHead()
        try requireKnown(position, head)
        let noted = try requireTrail(from: position.sequence, head)
        if position.sequence >= noted {
            guard try storedPosition(at: position.sequence).hash == position.hash else {
                throw ReadContext.diverged(position)
            }
            return
        }
        guard try trailHead()?.fits(epoch: position.epoch, sequence: position.sequence) ?? true else {
            throw ReadContext.diverged(position)
        }
    }

    /// Returns the position after the change set with this sequence number, as the start of a difference.
    ///
    /// - Throws: ``StoreError``: `positionInFuture`; `positionCompacted` when the trail does not reach back that far.
    package func differencePosition(at sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        guard sequence <= head.sequence, try sequence < requireTrail(from: sequence, head), let trail = try trailHead()
        else { return try sequence <= head.sequence ? storedPosition(at: sequence) : position(at: sequence) }
        // The change set has left the feed, and its hash with it.
        let epoch = trail.epochs.last { $0.sequence <= sequence } ?? trail.epochs.first
        return Position(store: state.identity, epoch: epoch?.epoch ?? head.epoch, sequence: sequence, hash: 0)
    }

    /// Checks that the store knows all changes after a change set: from the trail, and from the feed after the trail's end.
    ///
    /// - Returns: the newest change set that only the trail covers.
    func requireTrail(from sequence: UInt64, _ head: FeedHead) throws(StoreError) -> UInt64 {
        guard let trail = try trailHead() else {
            try requireRetained(sequence, head)
            return head.oldest - 1
        }
        // A program that does not know the trail may have removed change sets before the trail covered them.
        let first = try firstStored(after: trail.noted)
        guard sequence >= trail.floor, first ?? head.sequence + 1 == trail.noted + 1 else {
            try requireRetained(sequence, head)
            return head.oldest - 1
        }
        return trail.noted
    }
}
