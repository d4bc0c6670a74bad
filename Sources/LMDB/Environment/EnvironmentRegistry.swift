internal import Dispatch

/// The environments that this process has open, by the file they are in.
///
/// Opening one file twice in a process silently breaks LMDB's lock file: POSIX locks belong to the process, and closing
/// either drops them for both. So a second open shares the first, whatever path it came by.
///
/// Cycle of an entry: opening (the files are opened without the registry's lock, so that others need not wait for a slow
/// disk), open, closing (while the last close waits for transactions), gone. Whoever wants to open the same files while
/// one opens or closes them waits for its end and looks again; those of other directories are not held up.
///
/// A forked child ignores what it inherited: it must neither use nor close that. Its own opens start afresh, provided no
/// other thread of the parent held the registry's lock at the fork.
enum EnvironmentRegistry {
    private enum Phase {
        /// The files and the directory that somebody is opening, as far as they are there.
        case opening(nodes: Set<FileNode>, forkGeneration: Int)
        case open(LMDBEnvironment, count: Int)
        case closing(LMDBEnvironment)
    }

    private struct Entry {
        let number: Int
        var phase: Phase
        var waiters: [DispatchSemaphore] = []

        var environment: LMDBEnvironment? {
            switch phase {
            case .opening: nil
            case .open(let environment, _), .closing(let environment): environment
            }
        }
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber = 0
        /// Directories whose files somebody in this process works on by hand.
        var reserved: [FileNode] = []

        /// Begins an entry's life.
        mutating func add(_ phase: Phase) -> Int {
            lastNumber += 1
            entries.append(Entry(number: lastNumber, phase: phase))
            return lastNumber
        }

        /// Moves an entry on, or ends it for nil; those to be woken.
        mutating func move(_ number: Int, to phase: Phase?) -> [DispatchSemaphore] {
            guard let index = entries.firstIndex(where: { $0.number == number }) else { return [] }
            let waiters = entries[index].waiters
            if let phase {
                entries[index] = Entry(number: number, phase: phase)
            } else {
                entries.remove(at: index)
            }
            return waiters
        }
    }

    /// Never held while a file is opened or closed.
    private static let state = HandoverMutex(State())

    /// What an open found.
    private enum Finding {
        case shared(LMDBEnvironment)
        /// Somebody is opening or closing it.
        case busy(DispatchSemaphore)
        /// The caller is to open it, under this number.
        case mine(Int)
    }

    static func open(
        at path: String, options: LMDBEnvironment.Options, sharesAnyOptions: Bool
    ) throws(LMDBError) -> LMDBEnvironment {
        while true {
            let finding = try state.withLock { (state: inout State) throws(LMDBError) -> Finding in
                guard let index = try index(of: path, in: state.entries) else {
                    try requireUnreserved(path, state.reserved)
                    let phase = Phase.opening(nodes: nodes(of: path), forkGeneration: ForkGuard.startWatching())
                    return .mine(state.add(phase))
                }
                guard case .open(let environment, let count) = state.entries[index].phase else {
                    let semaphore = DispatchSemaphore(value: 0)
                    state.entries[index].waiters.append(semaphore)
                    return .busy(semaphore)
                }
                try environment.checkSharing(
                    by: sharesAnyOptions ? environment.options : options, at: path, openCount: count)
                state.entries[index].phase = .open(environment, count: count + 1)
                return .shared(environment)
            }
            switch finding {
            case .shared(let environment): return environment
            case .busy(let semaphore): semaphore.wait()
            case .mine(let number): return try openAlone(number, at: path, options: options)
            }
        }
    }

    private static func openAlone(
        _ number: Int, at path: String, options: LMDBEnvironment.Options
    ) throws(LMDBError) -> LMDBEnvironment {
        do throws(LMDBError) {
            let environment = try LMDBEnvironment.openAlone(at: path, options: options)
            move(number, to: .open(environment, count: 1))
            return environment
        } catch {
            // Those who wait try themselves: what failed here may be this one's options.
            move(number, to: nil)
            throw error
        }
    }

    private static func move(_ number: Int, to phase: Phase?) {
        for waiter in state.withLock({ $0.move(number, to: phase) }) { waiter.signal() }
    }

    /// Balances one open; runs `end` after the last, which answers whether the files are closed.
    static func close(_ environment: LMDBEnvironment, end: () -> Bool) {
        let last = state.withLock { state -> Int? in
            guard let index = state.entries.firstIndex(where: { $0.environment === environment }),
                case .open(_, let count) = state.entries[index].phase, count > 0
            else { return nil }
            state.entries[index].phase = count == 1 ? .closing(environment) : .open(environment, count: count - 1)
            return count == 1 ? state.entries[index].number : nil
        }
        guard let last else { return }
        // What could not be closed stays, with nobody who has it open: to be refused to the next one.
        move(last, to: end() ? nil : .open(environment, count: 0))
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
            remedy: "retry when that has ended")
    }

    private static func nodes(of path: String) -> Set<FileNode> {
        Set(["", "/data.mdb", "/lock.mdb"].compactMap { SystemCalls.node(at: path + $0) })
    }

    private static func index(of path: String, in entries: [Entry]) throws(LMDBError) -> Int? {
        guard !entries.isEmpty else { return nil }
        let data = SystemCalls.node(at: path + "/data.mdb")
        let lock = SystemCalls.node(at: path + "/lock.mdb")
        for (index, entry) in entries.enumerated() {
            switch entry.phase {
            case .opening(let taken, let forkGeneration):
                if forkGeneration == ForkGuard.generation, !taken.isDisjoint(with: nodes(of: path)) { return index }
            case .open(let environment, _), .closing(let environment):
                if environment.isForked { continue }
                if let data, environment.node == data { return index }
                // Another data file beside the lock file in use: a second environment would break the first's locks.
                guard let lock, environment.lockNode == lock, case .open = entry.phase else { continue }
                throw LMDBError(
                    .busy, operation: "open", path: path,
                    detail: "data.mdb was replaced while this process had the store open",
                    remedy: "close the store, then open it again")
            }
        }
        return nil
    }
}
