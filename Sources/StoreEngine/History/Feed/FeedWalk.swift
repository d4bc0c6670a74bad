import LMDB

/// Reads change sets in order from a position, a large one in parts.
///
/// The walk holds no snapshot: each call reads through a snapshot of its own, so a reader may pause between two calls for any
/// time. Change sets may be removed before the walk reads them; the next call then throws an error.
package struct FeedWalk: Sendable {
    /// The position of the walk: it has read all change sets up to here.
    package private(set) var position: Position
    private var decoder: FeedEntryDecoder?
    /// Whether the walk also reads change sets that are no longer retained but still stored.
    private let reachesBack: Bool

    /// Whether the walk has read some but not all parts of a change set.
    package var isInside: Bool { decoder != nil }

    /// Creates a walk that begins after `position`, which must be a position of the store.
    ///
    /// - Parameter reachesBack: whether the walk also reads change sets that are no longer retained, while the trail still needs
    ///   them.
    package init(after position: Position, reachesBack: Bool = false) {
        self.position = position
        self.reachesBack = reachesBack
    }

    /// Limits for one read.
    package struct Limits {
        /// The maximum number of changes in a part, and about the maximum in all parts together.
        package var changes: Int
        /// The maximum number of change sets.
        package var changeSets = Int.max
        /// About the maximum number of bytes of records.
        package var bytes = 1 << 20

        package init(changes: Int, changeSets: Int = .max) {
            self.changes = max(changes, 1)
            self.changeSets = changeSets
        }
    }

    /// Reads parts until a limit is reached or the feed ends.
    ///
    /// If a change set cannot be read, the call returns the parts before it, and the next call throws the error.
    ///
    /// - Throws: ``StoreError``: `positionCompacted` when the next change set is not retained; `positionDiverged` when it does
    ///   not continue the ones that were read; `damaged`.
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
            if !entry.needsFragment { part = try entry.takeRest(limit: limits.changes, scope.state, into: &changes) }
            while part == nil {
                // The next fragment follows the previous one directly, even if it belongs to the next entry.
                isPlaced = unsafe isPlaced ? try cursor.next() : try cursor.seek(exactly: entry.nextKey.span.bytes)
                guard isPlaced else { throw CodecError("its next fragment is missing") }
                do {
                    part = try entry.take(
                        key: cursor.key, value: cursor.value, limit: limits.changes, scope.state, into: &changes)
                } catch {
                    guard FragmentChain.begins(key: cursor.key, value: cursor.value, elsewhereThan: position)
                    else { throw error }
                    throw ReadContext.diverged(position)
                }
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
