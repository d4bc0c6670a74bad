/// An error of LMDB or of this layer: the operation, the failure and the remedy.
package struct LMDBError: Error, Hashable, Sendable {
    /// The kind of failure. Extensible: a switch over it needs a `default`.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        private init(_ description: String) {
            self.description = description
        }

        package static let notFound = Code("notFound")
        package static let keyExists = Code("keyExists")
        /// The map is full: abort, grow the map, and rerun the whole transaction.
        package static let mapFull = Code("mapFull")
        /// The environment has reached the size that ``LMDBEnvironment/Options/maximumByteCount`` allows.
        package static let storeFull = Code("storeFull")
        package static let mapResized = Code("mapResized")
        package static let readersFull = Code("readersFull")
        package static let transactionTooLarge = Code("transactionTooLarge")
        package static let databasesFull = Code("databasesFull")
        /// A key is empty or longer than 511 bytes, or LMDB rejects the size of a value or a name.
        package static let keySize = Code("keySize")
        package static let incompatible = Code("incompatible")
        package static let damaged = Code("damaged")
        /// LMDB has disabled the environment: close it and open it again.
        package static let panicked = Code("panicked")
        /// A sync of the data file failed. Only the redo log and the last checkpoint have the commits now.
        package static let lostPages = Code("lostPages")
        package static let newerFormat = Code("newerFormat")
        /// The program runs with a liblmdb whose file format differs from that of the version it was compiled with.
        package static let otherLibrary = Code("otherLibrary")
        package static let notAStore = Code("notAStore")
        package static let truncated = Code("truncated")
        /// The creation of the data file was interrupted before it contained any data.
        package static let unfinished = Code("unfinished")
        package static let diskFull = Code("diskFull")
        package static let ioError = Code("ioError")
        package static let accessDenied = Code("accessDenied")
        package static let noSuchFile = Code("noSuchFile")
        package static let networkFileSystem = Code("networkFileSystem")
        package static let foreignProcessNamespace = Code("foreignProcessNamespace")
        package static let forkedChild = Code("forkedChild")
        package static let closed = Code("closed")
        package static let badTransaction = Code("badTransaction")
        package static let wrongThread = Code("wrongThread")
        package static let busy = Code("busy")
        /// Another process held the writer lock for longer than allowed.
        package static let writerHeld = Code("writerHeld")
        /// A file of the environment was removed or replaced while it was open.
        package static let filesRemoved = Code("filesRemoved")
        /// A file of the environment is a symbolic link or has several names, so it could have several lock files.
        package static let linkedFile = Code("linkedFile")
        /// A file of the redo log is missing or cut, and the data file may lack commits without it.
        package static let redoLogIncomplete = Code("redoLogIncomplete")
        /// No process has closed the store, and this process may not run the log.
        package static let recoveryNeeded = Code("recoveryNeeded")
        package static let readOnly = Code("readOnly")
        package static let conflictingOptions = Code("conflictingOptions")
        package static let growthBlocked = Code("growthBlocked")
        /// The process's limit on address space leaves no room for the map.
        package static let addressSpace = Code("addressSpace")
        /// The system cannot start a thread.
        package static let threadUnavailable = Code("threadUnavailable")
        package static let other = Code("other")
    }

    package let code: Code
    /// The call that failed; for a call of LMDB, LMDB's name for it (`mdb_put`).
    package let operation: String
    /// The environment's directory, if it is known.
    package let path: String?
    /// The code of LMDB or the system; 0 if this layer rejected the operation before calling either.
    package let systemCode: Int32
    /// A description of the failure.
    package let detail: String
    /// The remedy, if there is one.
    package let remedy: String?
    /// Whether the outcome is unknown: the commit's meta page may or may not have reached the disk. All other failed commits are
    /// certainly *not committed*.
    package let isOutcomeUnknown: Bool

    package init(
        _ code: Code, operation: String, path: String? = nil, systemCode: Int32 = 0, detail: String,
        remedy: String? = nil, isOutcomeUnknown: Bool = false
    ) {
        self.code = code
        self.operation = operation
        self.path = path
        self.systemCode = systemCode
        self.detail = detail
        self.remedy = remedy
        self.isOutcomeUnknown = isOutcomeUnknown
    }
}

extension LMDBError: CustomStringConvertible {
    package var description: String { "[\(code)] \(text)" }

    /// The description without the code, for use inside a longer message.
    package var text: String {
        var text = "\(operation): \(detail)"
        if let path { text += ", in \(path)" }
        if systemCode != 0 { text += " (code \(systemCode))" }
        if let remedy { text += "; \(remedy)" }
        return text
    }
}
