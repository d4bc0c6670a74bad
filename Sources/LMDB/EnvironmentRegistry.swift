internal import Dispatch

/// The environments that this process has open, by the file they are in.
///
/// Opening one file twice in a process silently breaks LMDB's lock file: POSIX locks belong to the process, and closing
/// either drops them for both. So a second open shares the first, whatever path it came by.
///
/// A forked child ignores what it inherited: it must neither use nor close that. Its own opens start afresh, provided no
/// other thread of the parent was in `open` or `close` at the fork.
enum EnvironmentRegistry {
    private struct Entry {
        var environment: LMDBEnvironment
        var openCount = 1
        /// Set while the last close waits for transactions: an open waits for its end, then opens afresh.
        var isClosing = false
        var waiters: [DispatchSemaphore] = []
    }

    /// Held while an environment is opened, so that two opens of one file cannot both find none.
    private static let entries = HandoverMutex<[Entry]>([])

    static func open(at path: String, options: LMDBEnvironment.Options) throws(LMDBError) -> LMDBEnvironment {
        while true {
            let (environment, semaphore) = try entries.withLock {
                (entries: inout [Entry]) throws(LMDBError) -> (LMDBEnvironment?, DispatchSemaphore?) in
                guard let index = try index(of: path, in: entries) else {
                    let environment = try LMDBEnvironment.openAlone(at: path, options: options)
                    entries.append(Entry(environment: environment))
                    return (environment, nil)
                }
                if entries[index].isClosing {
                    let semaphore = DispatchSemaphore(value: 0)
                    entries[index].waiters.append(semaphore)
                    return (nil, semaphore)
                }
                try entries[index].environment.checkSharing(
                    by: options, at: path, openCount: entries[index].openCount)
                entries[index].openCount += 1
                return (entries[index].environment, nil)
            }
            if let environment { return environment }
            semaphore?.wait()
        }
    }

    /// Balances one open; runs `end` after the last, which answers whether the files are closed.
    static func close(_ environment: LMDBEnvironment, end: () -> Bool) {
        let isLast = entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.environment === environment }),
                !entries[index].isClosing
            else { return false }
            entries[index].openCount -= 1
            entries[index].isClosing = entries[index].openCount == 0
            return entries[index].isClosing
        }
        guard isLast else { return }
        let isClosed = end()
        let waiters = entries.withLock { entries -> [DispatchSemaphore] in
            guard let index = entries.firstIndex(where: { $0.environment === environment }) else { return [] }
            if isClosed { return entries.remove(at: index).waiters }
            entries[index].isClosing = false
            defer { entries[index].waiters = [] }
            return entries[index].waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    private static func index(of path: String, in entries: [Entry]) throws(LMDBError) -> Int? {
        let data = SystemCalls.node(at: path + "/data.mdb")
        let lock = SystemCalls.node(at: path + "/lock.mdb")
        for (index, entry) in entries.enumerated() where !entry.environment.isForked {
            if let data, entry.environment.node == data { return index }
            // Another data file beside the lock file that is in use: a second environment would break the first's locks.
            if let lock, entry.environment.lockNode == lock, !entry.isClosing {
                throw LMDBError(
                    .busy, operation: "open", path: path,
                    detail: "data.mdb was replaced while this process had the store open",
                    remedy: "Close the store, then open it again")
            }
        }
        return nil
    }
}
