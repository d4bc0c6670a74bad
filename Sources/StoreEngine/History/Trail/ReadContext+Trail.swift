import LMDB

// Positions that are further back than what the feed retains.
extension ReadContext {
    /// The first change set after a sequence number that is still stored, also one that is not retained any more; nil where there
    /// is none.
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

    /// The position after a change set, of which the next one is stored or which is the newest.
    func storedPosition(at sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        if sequence == head.sequence { return Position(store: state.identity, head: head) }
        let next = try FeedReader.header(sequence + 1, in: state.databases.feed, snapshot)
        return Position(store: state.identity, epoch: next.epoch, sequence: sequence, hash: next.previousHash)
    }

    /// How far the trail goes back and has come; nil where the store has none.
    package func trailHead() throws(StoreError) -> TrailHead? { try TrailReader(state.databases, snapshot)?.head }

    /// Checks that the difference can be told since a position that need not be retained any more.
    ///
    /// The hash of a change set that has left the feed is gone, so of the position's history only the epoch is compared.
    ///
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionDiverged`; `positionCompacted` where the
    ///   trail does not go back so far.
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

    /// The position after the change set with this sequence number, from which the difference can be told.
    ///
    /// - Throws: ``StoreError``: `positionInFuture`; `positionCompacted` where the trail does not go back so far.
    package func differencePosition(at sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        guard sequence <= head.sequence, try sequence < requireTrail(from: sequence, head), let trail = try trailHead()
        else { return try sequence <= head.sequence ? storedPosition(at: sequence) : position(at: sequence) }
        // Its hash is gone with it.
        let epoch = trail.epochs.last { $0.sequence <= sequence } ?? trail.epochs.first
        return Position(store: state.identity, epoch: epoch?.epoch ?? head.epoch, sequence: sequence, hash: 0)
    }

    /// Checks that what changed after a change set is known: by the trail, and from where that ends by the feed.
    ///
    /// - Returns: the newest change set that only the trail tells of.
    func requireTrail(from sequence: UInt64, _ head: FeedHead) throws(StoreError) -> UInt64 {
        guard let trail = try trailHead() else {
            try requireRetained(sequence, head)
            return head.oldest - 1
        }
        // A program that knows no trail may have removed what it was to take up.
        let first = try firstStored(after: trail.noted)
        guard sequence >= trail.floor, first ?? head.sequence + 1 == trail.noted + 1 else {
            try requireRetained(sequence, head)
            return head.oldest - 1
        }
        return trail.noted
    }
}
