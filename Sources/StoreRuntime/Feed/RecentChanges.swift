import Foundation
import LMDB
import StoreEngine

/// The newest change sets of this process, kept for its readers of the feed so that they need not read them again.
///
/// A run without a hole: when another process has written in between, what came before is let go, and is read from the store.
struct RecentChanges {
    /// The most bytes of change sets that are kept, about.
    private static let byteLimit = 4 << 20
    /// The most change sets that are kept.
    private static let countLimit = 4_096

    private var entries: [RecentEntry] = []
    private var first = 0
    private var byteCount = 0

    /// Adds a change set that was committed.
    mutating func add(_ entry: WrittenEntry) {
        if let last = entries.last, last.written.sequence + 1 != entry.sequence { removeAll() }
        entries.append(RecentEntry(entry))
        byteCount += entry.stream.count
        while byteCount > RecentChanges.byteLimit || entries.count - first > RecentChanges.countLimit {
            byteCount -= entries[first].written.stream.count
            first += 1
        }
        // Those let go stay in memory until then: at most as many as are kept.
        if first > entries.count / 2 {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// Lets all go: a change set that is not kept has been committed.
    mutating func removeAll() {
        entries = []
        first = 0
        byteCount = 0
    }

    /// Change sets right after a sequence number, as many as there are up to a limit; none when they are not kept.
    func after(_ sequence: UInt64, limit: Int) -> ArraySlice<RecentEntry> {
        guard first < entries.count, sequence + 1 >= entries[first].written.sequence else { return [] }
        let start = first + Int(sequence + 1 - entries[first].written.sequence)
        guard start < entries.count else { return [] }
        return entries[start..<min(entries.count, start + limit)]
    }
}

/// A change set that was committed by this process; decoded once, for all that read it.
final class RecentEntry: Sendable {
    let written: WrittenEntry
    private let decoded = HandoverMutex<FeedPart?>(nil)

    init(_ written: WrittenEntry) { self.written = written }

    /// The change set.
    func part(store: UUID) throws(StoreError) -> FeedPart {
        if let part = decoded.withLock({ $0 }) { return part }
        do {
            let part = try FeedPart(written, store: store)
            decoded.withLock { $0 = part }
            return part
        } catch {
            throw StoreError(error, at: "change set \(written.sequence)")
        }
    }
}
