import LMDB

/// Reads change sets one after the other from a position on, a large one in parts.
///
/// It holds no snapshot: each call reads through one of its own, so a reader may rest between two for any time. What it has
/// not read may then be gone, which is an error.
package struct FeedWalk: Sendable {
    /// Where it stands: all change sets up to there were read.
    package private(set) var position: Position
    private var decoder: FeedEntryDecoder?
    /// Whether it also reads what the feed does not retain any more, as long as that is there.
    private let reachesBack: Bool

    /// Whether parts of a change set were read, and not all.
    package var isInside: Bool { decoder != nil }

    /// A walk from after `position` on, which must be one of the store's.
    ///
    /// - Parameter reachesBack: whether it also reads change sets that are not retained any more, as long as the trail needs them.
    package init(after position: Position, reachesBack: Bool = false) {
        self.position = position
        self.reachesBack = reachesBack
    }

    /// How much is read at once.
    package struct Limits {
        /// The most changes in a part, and about the most in all parts together.
        package var changes: Int
        /// The most change sets.
        package var changeSets = Int.max
        /// About the most bytes of records.
        package var bytes = 1 << 20

        package init(changes: Int, changeSets: Int = .max) {
            self.changes = max(changes, 1)
            self.changeSets = changeSets
        }
    }

    /// Reads parts until there are enough or no more.
    ///
    /// What comes before something that cannot be read is given first; the error is that of the read after it.
    ///
    /// - Throws: ``StoreError``: `positionCompacted` when what comes next is not retained; `positionDiverged` when it does not
    ///   continue what was read; `damaged`.
    package mutating func read(_ scope: ReadContext, _ limits: Limits) throws(StoreError) -> [FeedPart] {
        var parts: [FeedPart] = []
        do {
            try readParts(scope, limits, into: &parts)
        } catch {
            guard parts.isEmpty else { return parts }
            if let error = error as? CodecError {
                throw StoreError(error, at: "change set \(position.sequence + 1) of the feed")
            }
            throw StoreError(reading: error, at: "the feed")
        }
        return parts
    }

    private mutating func readParts(_ scope: ReadContext, _ limits: Limits, into parts: inout [FeedPart]) throws {
        let head = try scope.feedHead()
        guard position.sequence < head.sequence || decoder != nil else { return }
        if !reachesBack { try scope.requireRetained(position.sequence, head) }
        var cursor = try scope.snapshot.openCursor(scope.state.databases.feed)
        var isPlaced = false
        var (changeCount, changeSetCount, byteCount) = (0, 0, 0)
        while decoder != nil || position.sequence < head.sequence, changeCount < limits.changes,
            changeSetCount < limits.changeSets, byteCount < limits.bytes
        {
            var entry = decoder ?? FeedEntryDecoder(after: position)
            var changes: [FeedChange] = []
            var part: FeedPart?
            if !entry.needsFragment { part = try entry.takeRest(limit: limits.changes, into: &changes) }
            while part == nil {
                // The next fragment lies behind the one before it, also that of the next entry.
                isPlaced = unsafe isPlaced ? try cursor.next() : try cursor.seek(exactly: entry.nextKey.span.bytes)
                guard isPlaced else { throw CodecError("its next fragment is missing") }
                part = try entry.take(key: cursor.key, value: cursor.value, limit: limits.changes, into: &changes)
            }
            guard let part else { break }
            decoder = part.isLast ? nil : entry
            position = part.position
            changeCount += max(part.changes.count, 1)
            if part.isLast { changeSetCount += 1 }
            for change in part.changes { byteCount += change.record.count }
            parts.append(part)
        }
    }
}
