import StoreEngine

/// The last change sets of a replay, to find the one that caused a delivery to a subscription.
///
/// Their number and their bytes in the trace are limited. Older change sets are dropped.
struct RecentCommits {
    struct Entry {
        /// The line in the trace.
        let line: Int
        let commit: TraceCommit
        fileprivate let byteCount: Int
    }

    private static let maximum = (count: 4_096, bytes: 8 << 20)

    /// The oldest first. Entries before `start` are dropped.
    private var entries: [Entry?] = []
    private var start = 0
    private var byteCount = 0

    /// The newest change set.
    var last: Entry? { entries.last ?? nil }

    /// The number of change sets.
    var count: Int { entries.count { $0 != nil } }

    /// Adds the next change set.
    ///
    /// - Parameter byteCount: the length of its line.
    mutating func append(_ commit: TraceCommit, line: Int, byteCount: Int) {
        entries.append(Entry(line: line, commit: commit, byteCount: byteCount))
        self.byteCount += byteCount
        // The newest one is kept whatever its size.
        while entries.count - start > 1,
            entries.count - start > Self.maximum.count || self.byteCount > Self.maximum.bytes
        {
            self.byteCount -= entries[start]?.byteCount ?? 0
            entries[start] = nil
            start += 1
        }
        guard start > 1_024, start * 2 > entries.count else { return }
        entries.removeFirst(start)
        start = 0
    }

    /// Returns the kept change sets after a sequence number that change records of some types.
    ///
    /// - Parameter types: the names of the types.
    func after(_ sequence: UInt64, changing types: Set<String>) -> [Entry] {
        entries[start...].compactMap(\.self).filter { $0.commit.sequence > sequence && $0.commit.changes(anyOf: types) }
    }
}

extension TraceCommit {
    /// Whether it changes records of one of these types, or resets all types.
    fileprivate func changes(anyOf types: Set<String>) -> Bool {
        changes.contains { change in
            switch change {
            case .insert(let name, _), .update(let name, _, _, _), .delete(let name, _): types.contains(name)
            case .schema(let type): types.contains(type.name)
            case .reset(let name): name.map(types.contains) ?? true
            }
        }
    }
}
