/// The state of a store's files when it is opened, and the decision that it leads to. Pure, so that tests can go through all
/// cases.
struct RecoverySituation: Equatable {
    /// The side file, `redo.checkpoint`.
    enum Side: Equatable {
        case missing
        /// Cut, or damaged, so that its newest record may be lost.
        case unreadable
        /// Of a version of ModelStore that wrote other records, and no stamp.
        case earlier(isClosed: Bool)
        case record(isClosed: Bool, isOfDataFile: Bool, transaction: UInt64)
    }

    /// The log, `redo.log`.
    enum Log: Equatable {
        case missing
        /// Shorter or longer than a log can be.
        case unreadable(byteCount: Int)
        /// Of another store, or overwritten.
        case foreign
        /// An entry is damaged that was on the disk.
        case damaged(at: Int)
        /// Its last commit.
        case entries(last: UInt64, isInDataFile: Bool, relaxed: Bool)
    }

    /// What to do.
    enum Decision: Equatable {
        /// The data file is as it was closed. `hasLog` is false for a store without a log.
        case nothing(hasLog: Bool)
        /// The data file is whole, and its side files are missing or cut.
        case makeFiles
        /// Puts the data file back to the checkpoint, and runs the log up to a transaction.
        case run(to: UInt64)
        /// The data file is whole up to its newest commit, which the log only announces.
        case keep
        /// The files do not belong together. The data file may be whole by itself.
        case examine(Mismatch)
        case refuse(Loss)
    }

    /// How files do not belong together.
    enum Mismatch: Equatable {
        /// The data file and the side file are of different stores or times.
        case otherDataFile
        /// The data file has later commits than its log.
        case newerThanLog
        /// The side file is of a data file without a stamp.
        case unknownDataFile
        /// An earlier version of ModelStore wrote the side file, and closed the store.
        case earlierVersion
    }

    /// The loss of a store that is refused.
    enum Loss: Equatable {
        case side(isMissing: Bool)
        /// The side file is of another store or time.
        case sideForeign
        case logMissing
        case logUnreadable(byteCount: Int)
        case logForeign
        case logDamaged(at: Int)
        case earlierVersion
        case olderThanCheckpoint
        case stampDamaged
    }

    var stamp: DataFileStamp.Reading
    var side: Side
    var log: Log
    /// The newest transaction in the meta pages of the data file.
    var newest: UInt64

    var decision: Decision {
        if stamp == .damaged { return .refuse(.stampDamaged) }
        switch side {
        case .missing, .unreadable:
            guard let stamp = stamp.stamp else {
                // A log alone is what an interrupted creation or removal left.
                return side == .missing ? .nothing(hasLog: false) : .examine(.unknownDataFile)
            }
            return stamp.isOpen ? .refuse(.side(isMissing: side == .missing)) : .makeFiles
        case .earlier(let isClosed):
            if stamp != .none { return .examine(.otherDataFile) }
            // The store gets the files of this version when it is opened for writing.
            return isClosed ? .examine(.earlierVersion) : .refuse(.earlierVersion)
        case .record(let isClosed, let isOfDataFile, let checkpoint):
            guard isOfDataFile else {
                // Its own log may have the last commits.
                if stamp.stamp?.isOpen == true { return .refuse(.sideForeign) }
                return .examine(stamp == .none ? .unknownDataFile : .otherDataFile)
            }
            guard newest >= checkpoint else { return .refuse(.olderThanCheckpoint) }
            return isClosed ? closedDecision : openDecision
        }
    }

    private var closedDecision: Decision {
        switch log {
        case .missing, .unreadable: .makeFiles
        case .foreign, .damaged, .entries: .nothing(hasLog: true)
        }
    }

    private var openDecision: Decision {
        switch log {
        case .missing: return .refuse(.logMissing)
        case .unreadable(let byteCount): return .refuse(.logUnreadable(byteCount: byteCount))
        case .foreign: return .refuse(.logForeign)
        case .damaged(let offset): return .refuse(.logDamaged(at: offset))
        case .entries(let last, let isInDataFile, let relaxed):
            guard isInDataFile else {
                return newest > last && !relaxed ? .examine(.newerThanLog) : .run(to: last)
            }
            // A checkpoint comes before the next own commit.
            if newest > last { return .examine(.newerThanLog) }
            // The commit was not made before the crash, or it is whole.
            return newest == last ? .keep : .run(to: last - 1)
        }
    }
}
