// Single change sets of the feed in one snapshot.
extension ReadContext {
    /// Returns the whole change set with this sequence number.
    ///
    /// - Throws: ``StoreError``: as ``position(before:)``; `damaged`.
    package func changeSet(_ sequence: UInt64) throws(StoreError) -> ChangeSet {
        var walk = FeedWalk(after: try position(before: sequence))
        let parts = try walk.read(self, FeedWalk.Limits(changes: .max, changeSets: 1))
        guard let part = parts.first, part.isLast else {
            throw StoreError(.damaged, "change set \(sequence) is not in the feed", remedy: "run `store-cli verify`")
        }
        return ChangeSet(part, wanted: nil, state)
    }

    /// Returns the position before a retained change set. A reader that resumes there receives this change set first.
    ///
    /// - Throws: ``StoreError``: `positionCompacted` (with the oldest position), `positionInFuture`; `invalidValue` for 0, the
    ///   position before the first change set.
    package func position(before sequence: UInt64) throws(StoreError) -> Position {
        let head = try feedHead()
        guard sequence > 0 else {
            throw StoreError(
                .invalidValue, "there is no change set 0: 0 is the position before the first change set",
                remedy: "name a change set from \(head.oldest) to \(head.sequence)")
        }
        guard sequence <= head.sequence else { throw inFuture(sequence, head) }
        guard sequence >= head.oldest else { throw try compacted(sequence - 1, head) }
        return try position(at: sequence - 1, head)
    }

    /// Checks that a position is directly after a retained change set of this store's history.
    ///
    /// - Throws: ``StoreError``: as ``position(before:)``; `positionOfAnotherStore`, `positionDiverged`.
    package func requireChangeSet(at position: Position) throws(StoreError) {
        let head = try feedHead()
        try requireKnown(position, head)
        _ = try self.position(before: position.sequence)
        guard try self.position(at: position.sequence, head).hash == position.hash else {
            throw ReadContext.diverged(position)
        }
    }
}
