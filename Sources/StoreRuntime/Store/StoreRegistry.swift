import Dispatch
import LMDB
import StoreEngine

/// The stores that are open in this process, so that a second open of a directory shares the first.
///
/// Cycle of an entry: opening (the store is created or read, and its writer started), open, closing (the writer finishes the
/// queued work), gone. None of this happens under the registry's lock. Callers that want the same store wait for the end of the
/// phase and look again. Callers that want other stores do not wait.
enum StoreRegistry {
    private enum Phase {
        case opening
        case open(StoreCore, count: Int)
        case closing
    }

    private struct Entry {
        var phase: Phase
        var waiters: [DispatchSemaphore] = []
    }

    /// By environment. Each caller that opens the store keeps the environment alive, and so does the core. No other object can
    /// get its address.
    private static let entries = HandoverMutex<[ObjectIdentifier: Entry]>([:])

    /// The result of looking for an open store.
    private enum Finding {
        case shared(StoreCore)
        /// Another caller is opening or closing it.
        case busy(DispatchSemaphore)
        /// The caller has to open it.
        case mine
    }

    /// Opens the store in a directory, or shares it.
    static func open(path: String, options: StoreOptions, records: [any Record.Type]) throws -> StoreCore {
        try WriterThread.requireElsewhere()
        let environment = try openEnvironment(path, options)
        do {
            while true {
                switch try find(environment, path, options) {
                case .busy(let semaphore): semaphore.wait()
                case .mine: return try openAlone(environment, options, records)
                case .shared(let core):
                    try share(core, records, options)
                    // The core already has it open.
                    environment.close()
                    return core
                }
            }
        } catch {
            environment.close()
            throw error
        }
    }

    private static func find(
        _ environment: LMDBEnvironment, _ path: String, _ options: StoreOptions
    ) throws(StoreError) -> Finding {
        let key = ObjectIdentifier(environment)
        return try entries.withLock { entries throws(StoreError) -> Finding in
            guard let entry = entries[key] else {
                entries[key] = Entry(phase: .opening)
                return .mine
            }
            guard case .open(let core, let count) = entry.phase else {
                let semaphore = DispatchSemaphore(value: 0)
                entries[key]?.waiters.append(semaphore)
                return .busy(semaphore)
            }
            guard options.isReadOnly || !core.options.isReadOnly else {
                throw StoreError(
                    .inUse, "this process has \(path) open for reading only",
                    remedy: "open it for writing first, or close the reading store")
            }
            entries[key]?.phase = .open(core, count: count + 1)
            return .shared(core)
        }
    }

    private static func openAlone(
        _ environment: LMDBEnvironment, _ options: StoreOptions, _ records: [any Record.Type]
    ) throws -> StoreCore {
        do {
            let core = try StoreCore.open(environment, options: options, records: records)
            move(environment, to: .open(core, count: 1))
            return core
        } catch {
            // Waiting callers try it themselves: the failure may be due to the record types of this one.
            move(environment, to: nil)
            throw error
        }
    }

    /// Adds the record types of a caller that shares a store. The caller's open is already counted.
    private static func share(_ core: StoreCore, _ records: [any Record.Type], _ options: StoreOptions) throws {
        do {
            try core.add(records, plan: options.isReadOnly ? nil : options.migrations)
        } catch {
            close(core)
            throw error
        }
    }

    /// Balances one open. The last one closes the store.
    static func close(_ core: StoreCore) {
        let key = ObjectIdentifier(core.environment)
        let isLast = entries.withLock { entries in
            guard case .open(_, let count) = entries[key]?.phase else { return false }
            entries[key]?.phase = count == 1 ? .closing : .open(core, count: count - 1)
            return count == 1
        }
        guard isLast else { return }
        core.drain()
        // Before the environment is closed, because each waiting caller has it open too.
        move(core.environment, to: nil)
        core.environment.close()
    }

    /// Moves an entry to its next phase, or removes it for nil, and wakes the waiting callers.
    private static func move(_ environment: LMDBEnvironment, to phase: Phase?) {
        let waiters = entries.withLock { entries in
            let key = ObjectIdentifier(environment)
            let waiters = entries[key]?.waiters ?? []
            entries[key] = phase.map { Entry(phase: $0) }
            return waiters
        }
        for waiter in waiters { waiter.signal() }
    }

    private static func openEnvironment(_ path: String, _ options: StoreOptions) throws(StoreError) -> LMDBEnvironment {
        var failure: StoreError?
        // The options of the first open apply. If this caller opens for reading only, its own `Store` enforces that.
        let environment = try mapLMDB { () throws(LMDBError) in
            try LMDBEnvironment.open(at: path, options: options.environment, sharesAnyOptions: true) {
                failure = RedoLogSwitch.settle(path, options)
            } waiting: {
                options.warn(.recoveryAwaited(waited: $0))
            }
        }
        guard let failure else { return environment }
        environment.close()
        throw failure
    }
}
