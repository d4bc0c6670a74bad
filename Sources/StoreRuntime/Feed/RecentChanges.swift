import LMDB
import StoreEngine

/// The newest change sets of this process, kept so that its readers of the feed need not read them from the store.
///
/// They have no gaps: if another process has written in between, the earlier change sets are dropped, and readers read them from
/// the store.
struct RecentChanges {
    /// About the most bytes of change sets that are kept.
    private static let byteLimit = 4 << 20
    /// The most change sets that are kept.
    private static let countLimit = 4_096

    private var entries: [RecentEntry] = []
    private var first = 0
    private var byteCount = 0

    /// Adds a committed change set.
    mutating func add(_ entry: WrittenEntry) {
        if let last = entries.last, last.written.sequence + 1 != entry.sequence { removeAll() }
        entries.append(RecentEntry(entry))
        byteCount += entry.stream.count
        while byteCount > RecentChanges.byteLimit || entries.count - first > RecentChanges.countLimit {
            byteCount -= entries[first].written.stream.count
            first += 1
        }
        // Dropped entries stay in memory until now: at most as many as are kept.
        if first > entries.count / 2 {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// Drops all change sets, for example because a change set was committed that is not kept.
    mutating func removeAll() {
        entries = []
        first = 0
        byteCount = 0
    }

    /// Returns the change sets right after a sequence number, up to a limit; none if they are not kept.
    func after(_ sequence: UInt64, limit: Int) -> ArraySlice<RecentEntry> {
        guard first < entries.count, sequence + 1 >= entries[first].written.sequence else { return [] }
        let start = first + Int(sequence + 1 - entries[first].written.sequence)
        guard start < entries.count else { return [] }
        return entries[start..<min(entries.count, start + limit)]
    }
}

/// A change set that this process committed. It is decoded once for all its readers.
final class RecentEntry: Sendable {
    let written: WrittenEntry
    private let decoded = HandoverMutex<FeedPart?>(nil)

    init(_ written: WrittenEntry) { self.written = written }

    /// Returns the change set.
    func part(_ state: StoreState) throws(StoreError) -> FeedPart {
        if let part = decoded.withLock({ $0 }) { return part }
        do {
            let part = try FeedPart(written, state)
            decoded.withLock { $0 = part }
            return part
        } catch {
            throw StoreError(error, at: "change set \(written.sequence)")
        }
    }
}
