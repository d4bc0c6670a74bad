internal import CLMDB
internal import Glibc

/// The kinds of calls and file operations that a plan can make fail.
package enum CallKind: String, CaseIterable, Hashable, Sendable {
    case open, sync, begin, renew, commit, openDatabase, statistics, drop, get, put, delete, openCursor, moveCursor
    case growth, info, copy, listReaders, checkReaders, startThread
    /// Operations on files, which are not calls of LMDB.
    case makeDirectory, writeFile, syncFile, moveFile, syncDirectory
}

/// Which calls of one environment fail, and how. A pure state machine: it counts calls and decides the outcome of each.
package struct FaultPlan: Sendable {
    /// The outcome of a call that fails.
    package enum Fault: Hashable, Sendable {
        /// The call is not made, and returns this code.
        case fails(code: Int32)
        /// A commit whose meta page could not be written. It returns this code, and LMDB disables the environment. Other calls
        /// fail as with ``fails(code:)``.
        case loses(code: Int32, isMade: Bool)

        /// The code that the call returns.
        var code: Int32 {
            switch self {
            case .fails(let code), .loses(let code, _): code
            }
        }
    }

    /// A fault that waits for its call.
    package struct Entry: Sendable {
        /// Identifies the fault.
        package let number: Int
        /// The kind of calls that it waits for; nil for all.
        package let kind: CallKind?
        package let fault: Fault
        /// How many more of these calls succeed first.
        package var remaining: Int
        /// How many more calls fail then.
        package var times: Int
        /// How many calls have failed.
        package var firedCount = 0
    }

    /// The faults in the order in which they were added: those that wait, and those that have fired and were not removed yet.
    package private(set) var entries: [Entry] = []
    /// How many calls of each kind were attempted.
    package private(set) var counts: [CallKind: Int] = [:]
    /// Whether the outcome of a commit is unknown. LMDB then begins no transaction until the environment is closed and opened
    /// again.
    private var hasPanicked = false
    private var lastNumber = 0
    private var watchCount = 0

    package init() {}

    /// Whether the plan has no effect and can be removed.
    var isIdle: Bool { entries.isEmpty && watchCount == 0 && !hasPanicked }

    /// Adds a fault.
    ///
    /// - Returns: its number.
    package mutating func add(_ kind: CallKind?, _ fault: Fault, after count: Int, times: Int) -> Int {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, kind: kind, fault: fault, remaining: count, times: times))
        return lastNumber
    }

    /// Removes a fault.
    ///
    /// - Returns: how many calls it made fail.
    @discardableResult
    package mutating func remove(_ number: Int) -> Int {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return 0 }
        return entries.remove(at: index).firedCount
    }

    /// Counts calls even if none has to fail.
    package mutating func watch() { watchCount += 1 }

    /// Ends the effect of one ``watch()``.
    package mutating func unwatch() { watchCount -= 1 }

    /// Returns the fault of the next call of a kind; nil if the call is made.
    mutating func next(_ kind: CallKind) -> Fault? {
        counts[kind, default: 0] += 1
        // The disabled environment has been closed.
        if kind == .open { hasPanicked = false }
        if hasPanicked, kind == .begin || kind == .renew { return .fails(code: MDB_PANIC) }
        var found: Fault?
        for index in entries.indices where entries[index].kind ?? kind == kind {
            if entries[index].remaining > 0 {
                entries[index].remaining -= 1
            } else if found == nil, entries[index].times > 0 {
                entries[index].times -= 1
                entries[index].firedCount += 1
                found = entries[index].fault
            }
        }
        if case .loses = found, kind == .commit { hasPanicked = true }
        return found
    }
}

/// Codes for calls that fail, by meaning.
package enum FaultCode {
    package static let diskFull = ENOSPC
    package static let ioError = EIO
    package static let outOfMemory = ENOMEM
    package static let accessDenied = EACCES
    package static let mapFull = MDB_MAP_FULL
    package static let mapResized = MDB_MAP_RESIZED
    package static let readersFull = MDB_READERS_FULL
    package static let transactionFull = MDB_TXN_FULL
    package static let databasesFull = MDB_DBS_FULL
    package static let damaged = MDB_CORRUPTED
}
