internal import Dispatch

/// The environments that this process has open, by their files.
///
/// Opening one file twice in a process silently breaks LMDB's lock file: POSIX locks belong to the process, and closing either
/// descriptor drops them for both. A second open therefore shares the first environment, whatever path it uses.
///
/// Cycle of an entry:
///
/// - opening: a caller opens the files without the registry's lock, so that other callers need not wait for a slow disk;
/// - open;
/// - closing: the last close waits for transactions;
/// - removed.
///
/// A caller that opens the same files in the meantime waits for the end of the opening or closing, and looks again. Callers for
/// other directories do not wait.
///
/// A forked child ignores inherited entries, because it must neither use nor close them. It can open environments of its own,
/// unless another thread of the parent held the registry's lock at the fork.
enum EnvironmentRegistry {
    private enum Phase {
        /// The files and the directory that a caller is opening, as far as they exist.
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
        /// Directories that are reserved, because code of this process changes their files directly.
        var reserved: [FileNode] = []

        /// Adds an entry.
        mutating func add(_ phase: Phase) -> Int {
            lastNumber += 1
            entries.append(Entry(number: lastNumber, phase: phase))
            return lastNumber
        }

        /// Moves an entry to another phase, or removes it for nil. Returns the waiters to wake.
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

    /// The result of looking for an entry.
    private enum Finding {
        case shared(LMDBEnvironment)
        /// Another caller is opening or closing it.
        case busy(DispatchSemaphore)
        /// The caller has to open it, under this number.
        case mine(Int)
    }

    static func open(
        at path: String, options: LMDBEnvironment.Options, sharesAnyOptions: Bool, preparing: () -> Void,
        waiting: (Duration) -> Void
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
            case .mine(let number):
                preparing()
                return try openAlone(number, at: path, options: options, waiting: waiting)
            }
        }
    }

    private static func openAlone(
        _ number: Int, at path: String, options: LMDBEnvironment.Options, waiting: (Duration) -> Void
    ) throws(LMDBError) -> LMDBEnvironment {
        do throws(LMDBError) {
            let environment = try LMDBEnvironment.openAlone(at: path, options: options, waiting: waiting)
            move(number, to: .open(environment, count: 1))
            return environment
        } catch {
            // The waiters retry for themselves, because the failure may come from the options of this call.
            move(number, to: nil)
            throw error
        }
    }

    private static func move(_ number: Int, to phase: Phase?) {
        for waiter in state.withLock({ $0.move(number, to: phase) }) { waiter.signal() }
    }

    /// Ends one open. After the last one, runs `end`, which returns whether the files are closed.
    static func close(_ environment: LMDBEnvironment, end: () -> Bool) {
        let last = state.withLock { state -> Int? in
            guard let index = state.entries.firstIndex(where: { $0.environment === environment }),
                case .open(_, let count) = state.entries[index].phase, count > 0
            else { return nil }
            state.entries[index].phase = count == 1 ? .closing(environment) : .open(environment, count: count - 1)
            return count == 1 ? state.entries[index].number : nil
        }
        guard let last else { return }
        // An environment that could not be closed remains with a count of zero, so that the next open is rejected.
        move(last, to: end() ? nil : .open(environment, count: 0))
    }

    /// Prevents this process from opening the environment of a directory until `release`. An open in the meantime throws, and so
    /// does this method if the environment is already open.
    ///
    /// Needed by code that opens `lock.mdb` directly. Closing any descriptor of that file releases the locks that LMDB holds for
    /// this process, and then two processes could write at once.
    static func reserve(_ directory: FileNode, at path: String) throws(LMDBError) {
        try state.withLock { (state: inout State) throws(LMDBError) in
            guard try index(of: path, in: state.entries) == nil else { throw inUse(path) }
            try requireUnreserved(path, state.reserved)
            state.reserved.append(directory)
        }
    }

    /// Ends a `reserve`.
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
            .busy, operation: "open", path: path,
            detail: "another operation of this process is using the store's files",
            remedy: "retry when that operation has ended")
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
                // The data file was replaced, but the lock file is in use. A second environment would break the locks of the
                // first.
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
