/// A change set that was read from the feed, or a part of a large one.
package struct FeedPart: Sendable {
    package let sequence: UInt64
    package let header: FeedEntryHeader
    /// The number of this part, from 0.
    package let number: Int
    /// The index of its first change among the changes of the change set.
    package let firstIndex: Int
    /// Whether this is the last part of the change set.
    package let isLast: Bool
    /// The position to resume from after this part: after the change set, or before it while parts are missing.
    package let position: Position
    /// The action that caused the change set, if there was one; only in the first part.
    package let action: RecordedAction?
    package let changes: [FeedChange]
}

extension FeedPart {
    /// Decodes a change set that this process has just committed, from its whole stream.
    package init(_ entry: WrittenEntry, _ state: StoreState) throws(CodecError) {
        var decoded = unsafe try FeedEntry(
            sequence: entry.sequence, hash: entry.hash, stream: entry.stream.span.bytes)
        decoded.findKeys(in: state)
        self.init(
            sequence: entry.sequence,
            header: FeedEntryHeader(
                time: decoded.time, epoch: decoded.epoch, previousHash: decoded.previousHash, origin: decoded.origin,
                changeCount: UInt64(decoded.changes.count), hasAction: decoded.action != nil),
            number: 0, firstIndex: 0, isLast: true,
            position: Position(store: state.identity, epoch: decoded.epoch, sequence: entry.sequence, hash: entry.hash),
            action: decoded.action, changes: decoded.changes)
    }
}

/// A change set that this process wrote, kept for readers of the feed in this process.
package struct WrittenEntry: Sendable {
    package let sequence: UInt64
    package let hash: UInt64
    /// The whole stream of the entry.
    package let stream: [UInt8]
}

/// Decodes one entry of the feed fragment by fragment, so that a large entry takes memory for only a part of it.
struct FeedEntryDecoder: Sendable {
    private let before: Position
    private var chain: FragmentChain
    private var header: FeedEntryHeader?
    /// The action, until the first part contains it.
    private var action: RecordedAction?
    /// Whether the action is not decoded yet.
    private var awaitsAction = false
    /// The bytes of the stream that are read but not decoded yet.
    private var rest: [UInt8] = []
    private var remainingCount: UInt64 = 0
    private var partCount = 0
    private var decodedCount = 0

    /// Creates a decoder for the entry after a position.
    init(after position: Position) {
        before = position
        chain = FragmentChain(sequence: position.sequence + 1, after: position.hash)
    }

    /// The key of the next fragment.
    var nextKey: [UInt8] { chain.nextKey }

    /// Whether the decoder needs another fragment before the next part.
    private(set) var needsFragment = true

    /// Takes the next fragment and decodes as much as possible, up to `limit` changes.
    ///
    /// - Returns: a part, if there are `limit` changes or the entry is at its end.
    /// - Throws: ``CodecError`` when the fragment is not the next one, its hash does not match, or it cannot be decoded.
    mutating func take(
        key: RawSpan, value: RawSpan, limit: Int, _ state: StoreState, into changes: inout [FeedChange]
    ) throws(CodecError) -> FeedPart? {
        let fragment = try chain.take(key: key, value: value)
        if rest.isEmpty {
            var decoded = 0
            defer { rest = fragment.extracting(decoded..<fragment.byteCount).array() }
            return try decode(fragment, &decoded, limit: limit, state, into: &changes)
        }
        unsafe fragment.withUnsafeBytes { unsafe rest.append(contentsOf: $0) }
        return try takeRest(limit: limit, state, into: &changes)
    }

    /// Decodes the rest of the fragments that were taken before.
    mutating func takeRest(
        limit: Int, _ state: StoreState, into changes: inout [FeedChange]
    ) throws(CodecError) -> FeedPart? {
        // Moved instead of copied, because a record of many fragments is assembled in this buffer.
        var stream: [UInt8] = []
        swap(&stream, &rest)
        var decoded = 0
        defer {
            if decoded > 0 { stream.removeFirst(decoded) }
            rest = stream
        }
        return unsafe try decode(stream.span.bytes, &decoded, limit: limit, state, into: &changes)
    }

    private mutating func decode(
        _ stream: RawSpan, _ decoded: inout Int, limit: Int, _ state: StoreState, into changes: inout [FeedChange]
    ) throws(CodecError) -> FeedPart? {
        if header == nil {
            var reader = ByteReader(stream)
            let header = try FeedEntryHeader(from: &reader)
            // Each change takes at least two bytes, and only a full fragment is followed by the next.
            guard !chain.isComplete || header.changeCount <= UInt64(reader.remaining) else {
                throw CodecError("a feed entry counts \(header.changeCount) changes")
            }
            self.header = header
            awaitsAction = header.hasAction
            remainingCount = header.changeCount
            decoded = reader.offset
        }
        if awaitsAction {
            var reader = ByteReader(stream.extracting(decoded..<stream.byteCount))
            do {
                action = try RecordedAction(from: &reader)
            } catch {
                // The action continues in the next fragment.
                if !chain.isComplete {
                    needsFragment = true
                    return nil
                }
                throw error
            }
            awaitsAction = false
            decoded += reader.offset
        }
        while remainingCount > 0, changes.count < limit || isMigration {
            var reader = ByteReader(stream.extracting(decoded..<stream.byteCount))
            do {
                var change = try FeedChange(from: &reader)
                change.findKey(in: state)
                if changes.count >= limit, !Replacement.mayContinue(changes, with: change) { break }
                changes.append(change)
            } catch {
                // The change continues in the next fragment.
                if !chain.isComplete {
                    needsFragment = true
                    return nil
                }
                throw error
            }
            decoded += reader.offset
            remainingCount -= 1
        }
        if remainingCount == 0 {
            guard chain.isComplete, decoded == stream.byteCount else {
                throw CodecError("a feed entry continues after its changes")
            }
        }
        needsFragment = false
        return part(&changes)
    }

    /// Whether a full part may go on, with the rest of a replacement.
    private var isMigration: Bool { header?.origin.kind.isMigration == true }

    private mutating func part(_ changes: inout [FeedChange]) -> FeedPart? {
        guard let header, let hash = chain.hash else { return nil }
        defer {
            partCount += 1
            decodedCount += changes.count
            action = nil
            changes = []
        }
        let isLast = remainingCount == 0
        let after = Position(store: before.store, epoch: header.epoch, sequence: chain.sequence, hash: hash)
        return FeedPart(
            sequence: chain.sequence, header: header, number: partCount, firstIndex: decodedCount, isLast: isLast,
            position: isLast ? after : before, action: action, changes: changes)
    }
}
