import Glibc

/// A fault of the file system, or an interference with the files of a store in use.
enum NemesisKind: String, CaseIterable {
    case renameData, removeData, replaceData, truncateData, linkData
    case removeLock, replaceLock, truncateLock, linkLock
    case removeWake, truncateWake
    case renameFolder, fillDisk, readOnly

    /// How programs that have the store open must react.
    enum Reaction {
        /// They go on.
        case goOn
        /// They end, each with one of these errors.
        case end(Set<String>)
        /// Each goes on, or ends with one of these errors.
        case either(Set<String>)
    }

    var reaction: Reaction {
        switch self {
        case .renameFolder, .linkData, .linkLock, .removeWake, .truncateWake: .goOn
        case .removeData, .replaceData, .removeLock, .replaceLock: .end(["filesRemoved"])
        // The test gives the file its name back while some have not noticed.
        case .renameData: .either(["filesRemoved"])
        case .truncateData, .truncateLock: .end(["damaged", "filesRemoved", "ioError", "inUse", "notAStore"])
        // A write into pages that the file already has may succeed.
        case .fillDisk: .either(["diskFull", "ioError"])
        case .readOnly: .end(["accessDenied", "readOnly"])
        }
    }

    /// Whether a program may end by SIGBUS. A page of a mapped file that lies behind the end of the file raises it, and a library
    /// must not handle the signals of a program.
    var mayRaiseBusError: Bool { self == .truncateData || self == .truncateLock }

    /// Whether the fault needs a file system of its own.
    var needsDisk: Bool { self == .fillDisk || self == .readOnly }

    /// The faults that this user can cause.
    static var possible: [NemesisKind] { allCases.filter { geteuid() == 0 || !$0.needsDisk } }
}
