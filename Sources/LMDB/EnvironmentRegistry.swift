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

    private struct State {
        var entries: [Entry] = []
        /// Directories whose files somebody in this process works on by hand.
        var reserved: [FileNode] = []
    }

    /// Held while an environment is opened, so that two opens of one file cannot both find none.
    private static let state = HandoverMutex(State())

    static func open(at path: String, options: LMDBEnvironment.Options) throws(LMDBError) -> LMDBEnvironment {
        while true {
            let (environment, semaphore) = try state.withLock {
                (state: inout State) throws(LMDBError) -> (LMDBEnvironment?, DispatchSemaphore?) in
                guard let index = try index(of: path, in: state.entries) else {
                    try requireUnreserved(path, state.reserved)
                    let environment = try LMDBEnvironment.openAlone(at: path, options: options)
                    state.entries.append(Entry(environment: environment))
                    return (environment, nil)
                }
                if state.entries[index].isClosing {
                    let semaphore = DispatchSemaphore(value: 0)
                    state.entries[index].waiters.append(semaphore)
                    return (nil, semaphore)
                }
                try state.entries[index].environment.checkSharing(
                    by: options, at: path, openCount: state.entries[index].openCount)
                state.entries[index].openCount += 1
                return (state.entries[index].environment, nil)
            }
            if let environment { return environment }
            semaphore?.wait()
        }
    }

    /// Balances one open; runs `end` after the last, which answers whether the files are closed.
    static func close(_ environment: LMDBEnvironment, end: () -> Bool) {
        let isLast = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.environment === environment }),
                !state.entries[index].isClosing
            else { return false }
            state.entries[index].openCount -= 1
            state.entries[index].isClosing = state.entries[index].openCount == 0
            return state.entries[index].isClosing
        }
        guard isLast else { return }
        let isClosed = end()
        let waiters = state.withLock { state -> [DispatchSemaphore] in
            guard let index = state.entries.firstIndex(where: { $0.environment === environment }) else { return [] }
            if isClosed { return state.entries.remove(at: index).waiters }
            state.entries[index].isClosing = false
            defer { state.entries[index].waiters = [] }
            return state.entries[index].waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    /// Lets nobody in this process open the environment of a directory until `release`; an open meanwhile is an error,
    /// and so is this when it is open already.
    ///
    /// For those who must touch `lock.mdb` by hand: whoever closes any descriptor of it gives up the locks that LMDB
    /// holds for this process, and then two processes write at once.
    static func reserve(_ directory: FileNode, at path: String) throws(LMDBError) {
        try state.withLock { (state: inout State) throws(LMDBError) in
            guard try index(of: path, in: state.entries) == nil else { throw inUse(path) }
            try requireUnreserved(path, state.reserved)
            state.reserved.append(directory)
        }
    }

    /// Balances `reserve`.
    static func release(_ directory: FileNode) {
        state.withLock { $0.reserved.removeAll { $0 == directory } }
    }

    private static func requireUnreserved(_ path: String, _ reserved: [FileNode]) throws(LMDBError) {
        guard !reserved.isEmpty, let directory = SystemCalls.node(at: path), reserved.contains(directory) else {
            return
        }
        throw inUse(path)
    }

    private static func inUse(_ path: String) -> LMDBError {
        LMDBError(
            .busy, operation: "open", path: path, detail: "this process is using the files of the store",
            remedy: "Try again when that has ended")
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
