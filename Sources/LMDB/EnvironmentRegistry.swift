internal import Dispatch
internal import Synchronization

/// The environments that this process has open, by the file they are in.
///
/// Opening one file twice in a process silently breaks LMDB's lock file: POSIX locks belong to the process, and closing
/// either drops them for both. So a second open shares the first, whatever path it came by.
enum EnvironmentRegistry {
    private struct Entry {
        var environment: LMDBEnvironment
        var node: FileNode
        var openCount = 1
        /// Set while the last close waits for transactions: an open waits for its end, then opens afresh.
        var isClosing = false
        var waiters: [DispatchSemaphore] = []
    }

    private static let entries = Mutex<[Entry]>([])

    static func open(at path: String, options: LMDBEnvironment.Options) throws(LMDBError) -> LMDBEnvironment {
        while true {
            let (environment, semaphore) = try entries.withLock {
                entries throws(LMDBError) -> (LMDBEnvironment?, DispatchSemaphore?) in
                if let node = SystemCalls.node(at: path + "/data.mdb"),
                    let index = entries.firstIndex(where: { $0.node == node })
                {
                    if entries[index].isClosing {
                        let semaphore = DispatchSemaphore(value: 0)
                        entries[index].waiters.append(semaphore)
                        return (nil, semaphore)
                    }
                    try entries[index].environment.checkSharing(by: options, at: path)
                    entries[index].openCount += 1
                    return (entries[index].environment, nil)
                }
                let environment = try LMDBEnvironment.openAlone(at: path, options: options)
                entries.append(Entry(environment: environment, node: environment.node))
                return (environment, nil)
            }
            if let environment { return environment }
            semaphore?.wait()
        }
    }

    /// Balances one open; runs `end` after the last.
    static func close(_ environment: LMDBEnvironment, end: () -> Void) {
        let isLast = entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.environment === environment }),
                !entries[index].isClosing
            else { return false }
            entries[index].openCount -= 1
            entries[index].isClosing = entries[index].openCount == 0
            return entries[index].isClosing
        }
        guard isLast else { return }
        end()
        let waiters = entries.withLock { entries -> [DispatchSemaphore] in
            guard let index = entries.firstIndex(where: { $0.environment === environment }) else { return [] }
            return entries.remove(at: index).waiters
        }
        for waiter in waiters { waiter.signal() }
    }
}
