import LMDB

/// Reads change sets one after the other from a position on, a large one in parts.
///
/// It holds no snapshot: each call reads through one of its own, so a reader may rest between two for any time. What it has
/// not read may then be gone, which is an error.
package struct FeedWalk: Sendable {
    /// Where it stands: all change sets up to there were read.
    package private(set) var position: Position
    private var decoder: FeedEntryDecoder?

    /// Whether parts of a change set were read, and not all.
    package var isInside: Bool { decoder != nil }

    /// A walk from after `position` on, which must be one of the store's.
    package init(after position: Position) { self.position = position }

    /// Reads parts until there are enough or no more.
    ///
    /// - Parameters:
    ///   - changeLimit: the most changes in a part, and about the most in all parts together.
    ///   - byteLimit: about the most bytes of records.
    /// - Throws: ``StoreError``: `positionCompacted` when what comes next is not retained; `positionDiverged` when it does not
    ///   continue what was read; `damaged`.
    package mutating func read(
        _ scope: ReadingScope, changeLimit: Int, byteLimit: Int = 1 << 20
    ) throws(StoreError) -> [FeedPart] {
        do {
            return try readParts(scope, changeLimit, byteLimit)
        } catch let error as CodecError {
            throw StoreError(error, at: "change set \(position.sequence + 1) of the feed")
        } catch {
            throw StoreError(reading: error, at: "the feed")
        }
    }

    private mutating func readParts(_ scope: ReadingScope, _ changeLimit: Int, _ byteLimit: Int) throws -> [FeedPart] {
        let head = try scope.feedHead()
        var parts: [FeedPart] = []
        guard position.sequence < head.sequence || decoder != nil else { return parts }
        try scope.requireRetained(position, head)
        var cursor = try scope.snapshot.openCursor(scope.state.databases.feed)
        var isPlaced = false
        var (changeCount, byteCount) = (0, 0)
        while decoder != nil || position.sequence < head.sequence, changeCount < changeLimit, byteCount < byteLimit {
            var entry = decoder ?? FeedEntryDecoder(after: position)
            var changes: [FeedChange] = []
            var part: FeedPart?
            if !entry.needsFragment { part = try entry.takeRest(limit: changeLimit, into: &changes) }
            while part == nil {
                // The next fragment lies behind the one before it, also that of the next entry.
                isPlaced = unsafe isPlaced ? try cursor.next() : try cursor.seek(exactly: entry.nextKey.span.bytes)
                guard isPlaced else { throw CodecError("its next fragment is missing") }
                part = try entry.take(key: cursor.key, value: cursor.value, limit: changeLimit, into: &changes)
            }
            guard let part else { break }
            decoder = part.isLast ? nil : entry
            position = part.position
            changeCount += max(part.changes.count, 1)
            for change in part.changes { byteCount += change.record.count }
            parts.append(part)
        }
        return parts
    }
}
