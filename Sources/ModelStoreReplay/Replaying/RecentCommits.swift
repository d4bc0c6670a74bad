import StoreEngine

/// The change sets that a replay made last, to tell which of them led to what a subscription is given.
///
/// It holds so many, and so many bytes of the trace, at most: what is older is not known any more.
struct RecentCommits {
    struct Entry {
        /// The line in the trace.
        let line: Int
        let commit: TraceCommit
        fileprivate let byteCount: Int
    }

    private static let maximum = (count: 4_096, bytes: 8 << 20)

    /// The oldest first; those before `start` are forgotten.
    private var entries: [Entry?] = []
    private var start = 0
    private var byteCount = 0

    /// The newest.
    var last: Entry? { entries.last ?? nil }

    /// How many are held.
    var count: Int { entries.count { $0 != nil } }

    /// Adds the next change set.
    ///
    /// - Parameter byteCount: how long its line is.
    mutating func append(_ commit: TraceCommit, line: Int, byteCount: Int) {
        entries.append(Entry(line: line, commit: commit, byteCount: byteCount))
        self.byteCount += byteCount
        // The newest stays whatever its size is.
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

    /// The change sets after a sequence number that change records of some types, as far as they are known.
    ///
    /// - Parameter types: the names of the types.
    func after(_ sequence: UInt64, changing types: Set<String>) -> [Entry] {
        entries[start...].compactMap(\.self).filter { $0.commit.sequence > sequence && $0.commit.changes(anyOf: types) }
    }
}

extension TraceCommit {
    /// Whether it changes records of one of these types, or what is known of all.
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
