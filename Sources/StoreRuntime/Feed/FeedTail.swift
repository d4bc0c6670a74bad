import Foundation
import StoreEngine

/// One reader's progress through the feed: how far it has read, and which change sets wait to be taken.
///
/// It belongs to one task at a time. Between two reads it holds no snapshot.
struct FeedTail {
    private let store: Store
    private let options: FeedOptions
    private var sieve: FeedSieve
    private var walk: FeedWalk
    /// The change sets that were read and not taken, the next one last.
    private var ready: [ChangeSet] = []
    /// Whether the last look ended among unwanted change sets, and not at the end of the feed.
    private var isPassing = false
    /// How often it has read.
    private(set) var readCount = 0

    /// The most change sets that are read at once from memory.
    private static let recentLimit = 256
    /// The most change sets that are read at once from the store.
    private static let readLimit = 512
    /// The most reads of one look for a wanted change set.
    private static let readsPerLook = 16
    /// The most records that are merged into one change set, however much is read at once.
    private static let squashLimit = 100_000

    /// Creates a reader that begins after `position`.
    ///
    /// - Parameter skippedConsumer: the name of a consumer whose change sets are skipped.
    init(_ store: Store, after position: Position, _ options: FeedOptions, skippedConsumer: String? = nil) {
        self.store = store
        self.options = options
        sieve = FeedSieve(options, own: store.core.ownOrigin, skippedConsumer: skippedConsumer)
        walk = FeedWalk(after: position)
    }

    /// The position up to which it has read.
    var readPosition: Position { walk.position }

    /// The last change set that was read and has no changes left to take.
    var passedSequence: UInt64 { ready.last.map { $0.firstSequence - 1 } ?? walk.position.sequence }

    /// Returns the next change set; nil if there is none, or if it takes long to pass the unwanted ones before it.
    mutating func next() throws -> ChangeSet? {
        _ = try fill()
        return ready.popLast()
    }

    /// Returns the next change set without taking it. Nil does not mean that no wanted change set is left: if there may be one,
    /// ``wait()`` returns at once.
    mutating func peek() throws -> ChangeSet? {
        try fill() ? ready.last : nil
    }

    /// Reads until a change set is ready. Returns whether one is.
    private mutating func fill() throws -> Bool {
        // Stops before the end if nothing is wanted. ``wait()`` then reports that there is more, unless the task was cancelled.
        for _ in 0..<FeedTail.readsPerLook where ready.isEmpty {
            guard try read() else {
                isPassing = false
                return false
            }
        }
        isPassing = ready.isEmpty
        return !isPassing
    }

    /// Takes the change set that ``peek()`` returned.
    mutating func take() { ready.removeLast() }

    /// Waits until there may be more to read.
    ///
    /// - Returns: false when the task was cancelled.
    /// - Throws: ``StoreError`` with the code `closed`.
    func wait() async throws -> Bool {
        if isPassing {
            await Task.yield()
            return !Task.isCancelled
        }
        switch try await store.feedWake(after: walk.position.sequence) {
        case .moved: return true
        case .cancelled: return false
        case .closed: throw WriteQueue.closed
        }
    }

    /// Continues after a position that is known to be one of the store's, if it is further than the change sets taken so far.
    mutating func skip(to position: Position) {
        while let next = ready.last, next.sequence <= position.sequence { ready.removeLast() }
        if walk.position.sequence < position.sequence { walk = FeedWalk(after: position) }
    }

    /// Reads the next change sets. After an error, it reads the same ones again.
    ///
    /// - Returns: whether there were any.
    private mutating func read() throws -> Bool {
        try store.requireOpen()
        try store.core.catalog.requireFiles()
        readCount += 1
        let before = (walk, sieve)
        do {
            return try readOn()
        } catch {
            (walk, sieve) = before
            throw error
        }
    }

    private mutating func readOn() throws -> Bool {
        let (parts, state) = try readParts()
        guard let last = parts.last else { return false }
        var sets: [ChangeSet] = []
        sets.reserveCapacity(parts.count + 1)
        for part in parts {
            if let set = try sieve.wanted(part, state) { sets.append(set) }
        }
        if options.mergesPending { sets = try squashed(sets) }
        // Added at the end, so that it reports the newest position.
        if options.reportsProgress, sets.last.map({ $0.position != last.position }) ?? true {
            sets.append(ChangeSet(last, wanted: [], state))
        }
        sets.reverse()
        ready = sets
        return true
    }

    private mutating func readParts() throws -> ([FeedPart], StoreState) {
        let core = store.core
        if !walk.isInside {
            let recent = core.notifier.recent(after: walk.position.sequence, limit: FeedTail.recentLimit)
            if let first = recent.first {
                let state = core.state
                let head = try first.part(state)
                // A large change set is read from the store in parts.
                if head.header.previousHash == walk.position.hash, head.changes.count <= options.changesPerPart {
                    return try (take(recent, state), state)
                }
            }
        }
        let transaction = try core.beginRead()
        let scope = transaction._reading
        // Limits the number of small change sets, so that they are still in the processor's cache when they are taken.
        let limits = FeedWalk.Limits(
            changes: options.changesPerPart, changeSets: options.mergesPending ? .max : FeedTail.readLimit)
        return (try walk.read(scope, limits), scope.state)
    }

    private mutating func take(_ recent: ArraySlice<RecentEntry>, _ state: StoreState) throws -> [FeedPart] {
        var parts: [FeedPart] = []
        for entry in recent {
            let part = try entry.part(state)
            if part.changes.count > options.changesPerPart { break }
            parts.append(part)
            walk = FeedWalk(after: part.position)
        }
        return parts
    }

    private func squashed(_ sets: [ChangeSet]) throws -> [ChangeSet] {
        guard sets.count > 1 else { return sets }
        var result: [ChangeSet] = []
        var squash: ChangeSquash?
        var kind = ChangeSetKind.user
        for set in sets {
            // Never merges a part: a reader that resumes after the merged change set would receive the part twice. A migration
            // stays as it is, because a merged insert has lost the replaced record.
            let isAlone = !set.isLastPart || set.part > 0 || set.kind.isMigration
            if isAlone || set.kind != kind {
                if let before = try squash?.finish() { result.append(before) }
                squash = nil
            }
            kind = set.kind
            if isAlone {
                result.append(set)
                continue
            }
            if squash == nil { squash = try ChangeSquash(set) } else { try squash?.add(set) }
            if squash?.count ?? 0 >= FeedTail.squashLimit {
                if let full = try squash?.finish() { result.append(full) }
                squash = nil
            }
        }
        if let rest = try squash?.finish() { result.append(rest) }
        return result.filter { !$0.changes.isEmpty || $0.part > 0 || options.reportsProgress }
    }
}
