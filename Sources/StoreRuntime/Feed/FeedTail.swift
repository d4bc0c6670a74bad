import Foundation
import StoreEngine

/// One reader's way through the feed: what it has read, and what of that waits to be taken.
///
/// It belongs to one task at a time. Between two reads it holds no snapshot.
struct FeedTail {
    private let store: Store
    private let options: FeedOptions
    private var sieve: FeedSieve
    private var walk: FeedWalk
    /// What was read and not taken, the next one last.
    private var ready: [ChangeSet] = []
    /// Whether the last look ended among what is not wanted, and not where there was no more.
    private var isPassing = false
    /// How often it has read.
    private(set) var readCount = 0

    /// The most change sets that are read at once from memory.
    private static let recentLimit = 256
    /// The most change sets that are read at once from the store.
    private static let readLimit = 512
    /// The most reads that are made to find something that is wanted.
    private static let readsPerLook = 16
    /// The most records that are put together into one change set, whatever is read at once.
    private static let squashLimit = 100_000

    /// A reader from after `position` on.
    ///
    /// - Parameter skippedConsumer: the name of a consumer whose change sets are left out.
    init(_ store: Store, after position: Position, _ options: FeedOptions, skippedConsumer: String? = nil) {
        self.store = store
        self.options = options
        sieve = FeedSieve(options, own: store.core.ownOrigin, skippedConsumer: skippedConsumer)
        walk = FeedWalk(after: position)
    }

    /// How far it has read.
    var readPosition: Position { walk.position }

    /// The last change set that was read and holds nothing that is still to be taken.
    var passedSequence: UInt64 { ready.last.map { $0.firstSequence - 1 } ?? walk.position.sequence }

    /// The next change set, when there is one, and what is not wanted does not take long to pass.
    mutating func next() throws -> ChangeSet? {
        _ = try fill()
        return ready.popLast()
    }

    /// As ``next()``. It comes again until it is taken. Nil is no promise that nothing wanted is left: ``wait()`` returns at once
    /// then.
    mutating func peek() throws -> ChangeSet? {
        try fill() ? ready.last : nil
    }

    /// Reads until something is ready; whether something is.
    private mutating func fill() throws -> Bool {
        // Not to the end where nothing is wanted: whoever waits then is told that there is more, unless he was cancelled.
        for _ in 0..<FeedTail.readsPerLook where ready.isEmpty {
            guard try read() else {
                isPassing = false
                return false
            }
        }
        isPassing = ready.isEmpty
        return !isPassing
    }

    /// Takes what ``peek()`` gave.
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
        switch await store.feedWake(after: walk.position.sequence) {
        case .moved: return true
        case .cancelled: return false
        case .closed: throw WriteQueue.closed
        }
    }

    /// Goes on after a position that is known to be one of the store's, where that is further than what was taken.
    mutating func skip(to position: Position) {
        while let next = ready.last, next.sequence <= position.sequence { ready.removeLast() }
        if walk.position.sequence < position.sequence { walk = FeedWalk(after: position) }
    }

    /// Reads what comes next; after an error the same again.
    ///
    /// - Returns: whether there was anything.
    private mutating func read() throws -> Bool {
        try store.requireOpen()
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
        // At the end, so that it tells the newest.
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
            let recent = core.dispatcher.recent(after: walk.position.sequence, limit: FeedTail.recentLimit)
            if let first = recent.first {
                let state = core.state
                let head = try first.part(store: state.identity)
                // A large one is read from the store in parts.
                if head.header.previousHash == walk.position.hash, head.changes.count <= options.changesPerPart {
                    return try (take(recent, state), state)
                }
            }
        }
        let transaction = try core.beginRead()
        let scope = transaction._reading
        // Small ones not by the thousand, so that they are in the processor's cache when they are taken.
        let limits = FeedWalk.Limits(
            changes: options.changesPerPart, changeSets: options.mergesPending ? .max : FeedTail.readLimit)
        return (try walk.read(scope, limits), scope.state)
    }

    private mutating func take(_ recent: ArraySlice<RecentEntry>, _ state: StoreState) throws -> [FeedPart] {
        var parts: [FeedPart] = []
        for entry in recent {
            let part = try entry.part(store: state.identity)
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
        for set in sets {
            // Who resumes after what it was put together with would get a part of it twice.
            if !set.isLastPart || set.part > 0 {
                if let before = try squash?.finish() { result.append(before) }
                squash = nil
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
