internal import CLMDB
internal import Glibc

/// The kinds of calls that can be made to fail.
package enum CallKind: String, CaseIterable, Hashable, Sendable {
    case open, sync, begin, renew, commit, openDatabase, statistics, drop, get, put, delete, openCursor, moveCursor
    case growth, info, copy, listReaders, checkReaders
}

/// Which calls of one environment fail, and how. A pure state machine: it counts calls and answers what becomes of each.
package struct FaultPlan: Sendable {
    /// What becomes of a call.
    package enum Fault: Hashable, Sendable {
        /// It is not made, and answers with this code.
        case fails(code: Int32)
        /// A commit whose meta page could not be written: it answers with this code, and LMDB gives the environment up. Other
        /// calls fail as by ``fails(code:)``.
        case loses(code: Int32, isMade: Bool)

        /// What the call answers.
        var code: Int32 {
            switch self {
            case .fails(let code), .loses(let code, _): code
            }
        }
    }

    /// A fault that waits for its call.
    package struct Entry: Sendable {
        /// Tells it from others.
        package let number: Int
        /// Which calls it waits for; nil for all.
        package let kind: CallKind?
        package let fault: Fault
        /// How many more of them succeed before.
        package var remaining: Int
        /// How many calls fail then.
        package var times: Int
        /// How many have failed.
        package var firedCount = 0
    }

    /// The faults that wait, and those that have fired and are not taken out yet, in the order that they were added in.
    package private(set) var entries: [Entry] = []
    /// How many calls of each kind were made or would have been.
    package private(set) var counts: [CallKind: Int] = [:]
    /// Whether a commit has been lost, after which LMDB begins no transaction until the environment is opened anew.
    private var hasPanicked = false
    private var lastNumber = 0
    private var watchCount = 0

    package init() {}

    /// Whether the plan asks for nothing, so that it may be forgotten.
    var isIdle: Bool { entries.isEmpty && watchCount == 0 && !hasPanicked }

    /// Adds a fault.
    ///
    /// - Returns: its number.
    package mutating func add(_ kind: CallKind?, _ fault: Fault, after count: Int, times: Int) -> Int {
        lastNumber += 1
        entries.append(Entry(number: lastNumber, kind: kind, fault: fault, remaining: count, times: times))
        return lastNumber
    }

    /// Takes a fault out.
    ///
    /// - Returns: how many calls it has made fail.
    @discardableResult
    package mutating func remove(_ number: Int) -> Int {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return 0 }
        return entries.remove(at: index).firedCount
    }

    /// Begins to count calls even where nothing is to fail.
    package mutating func watch() { watchCount += 1 }

    /// Balances ``watch()``.
    package mutating func unwatch() { watchCount -= 1 }

    /// What becomes of the next call of a kind; nil: it is made.
    mutating func next(_ kind: CallKind) -> Fault? {
        counts[kind, default: 0] += 1
        // The environment that was given up has been closed.
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

/// The codes that calls can be made to fail with, by what they mean.
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
