internal import CLMDB
internal import Glibc

extension LMDBError {
    /// The one place that gives LMDB's and the system's codes a meaning.
    init(code systemCode: Int32, operation: String, path: String?) {
        let meaning = Meaning.of(systemCode, isOfHandle: !operation.hasPrefix("mdb_env"))
        self.init(
            meaning.code, operation: operation, path: path, systemCode: systemCode,
            detail: meaning.detail ?? Calls.message(for: systemCode), remedy: meaning.remedy
        )
    }

    /// The same error with more to say.
    func adding(_ more: String) -> LMDBError {
        LMDBError(
            code, operation: operation, path: path, systemCode: systemCode, detail: "\(detail); \(more)",
            remedy: remedy, isOutcomeUnknown: isOutcomeUnknown)
    }

    /// The same error, known to come from a transaction whose commit nobody can tell the outcome of.
    func withUnknownOutcome() -> LMDBError {
        LMDBError(
            code, operation: operation, path: path, systemCode: systemCode,
            detail: "\(detail); the commit's meta page could not be written, so its outcome is unknown",
            remedy: "Close the environment, open it again, and look whether the transaction is there",
            isOutcomeUnknown: true
        )
    }
}

/// What a code means, and what to do about it.
private struct Meaning {
    var code: LMDBError.Code
    var detail: String?
    var remedy: String?

    /// `isOfHandle`: the operation took a transaction and a database, which EINVAL then is about.
    static func of(_ code: Int32, isOfHandle: Bool) -> Meaning {
        if code == EINVAL && isOfHandle {
            return Meaning(
                code: .badTransaction, detail: "LMDB refused the handle",
                remedy: "The database was not open when the transaction began, or the transaction has ended")
        }
        return code < 0 ? ofLMDB(code) : ofSystem(code)
    }

    private static func ofLMDB(_ code: Int32) -> Meaning {
        switch code {
        case MDB_NOTFOUND: return Meaning(code: .notFound)
        case MDB_KEYEXIST: return Meaning(code: .keyExists)
        case MDB_MAP_FULL:
            return Meaning(
                code: .mapFull, detail: "the map has no free page left",
                remedy: "Abort the transaction, grow the map, and run the transaction again")
        case MDB_MAP_RESIZED:
            return Meaning(
                code: .mapResized, detail: "another process grew the store past this process's map",
                remedy: "End this process's transactions and begin again")
        case MDB_READERS_FULL:
            return Meaning(
                code: .readersFull, detail: "all slots of the reader table are taken",
                remedy: "End read transactions; the table's size is fixed by the first process that opens the store")
        case MDB_TXN_FULL:
            return Meaning(
                code: .transactionTooLarge, detail: "the transaction touches too many pages",
                remedy: "Split the work over several transactions")
        case MDB_DBS_FULL:
            return Meaning(
                code: .databasesFull,
                detail: "all handles for named databases are taken; record types and their indexes take one each",
                remedy: "Open the store with a larger maximumDatabases; within a process the first open's options hold")
        case MDB_BAD_VALSIZE:
            return Meaning(
                code: .keySize, detail: "a key must have 1 to 511 bytes, and a value less than 4 GiB",
                remedy: "Shorten the key, for example with a hash of its end")
        case MDB_INCOMPATIBLE:
            return Meaning(
                code: .incompatible, detail: "the database is of another kind, or the entry is not a database")
        case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL:
            return Meaning(code: .damaged, remedy: "Restore the store from a copy, or export what can still be read")
        case MDB_PANIC:
            return Meaning(
                code: .panicked, detail: "LMDB gave this environment up after a fatal error",
                remedy: "Close the environment and open it again")
        case MDB_VERSION_MISMATCH:
            return Meaning(
                code: .newerFormat, detail: "the file's data version is not the one of this liblmdb",
                remedy: "Open it with the program that wrote it, or with a newer liblmdb")
        case MDB_INVALID: return Meaning(code: .notAStore, detail: "the file is not an LMDB data file")
        case MDB_BAD_RSLOT, MDB_BAD_TXN, MDB_BAD_DBI:
            return Meaning(
                code: .badTransaction, detail: "the transaction has failed, has ended, or has a live child",
                remedy: "End it and begin a new one")
        default: return Meaning(code: .other)
        }
    }

    private static func ofSystem(_ code: Int32) -> Meaning {
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return Meaning(code: .diskFull, remedy: "Free space on the disk, then run the transaction again")
        case EIO: return Meaning(code: .inputOutput, remedy: "Look at the disk's free space and the kernel's messages")
        case EACCES, EPERM: return Meaning(code: .accessDenied, remedy: "Give this process's user access to the files")
        case ENOENT, ENOTDIR: return Meaning(code: .noSuchFile)
        case EROFS: return Meaning(code: .readOnly, remedy: "Open the store read-only")
        case EBUSY: return Meaning(code: .busy)
        case ENOMEM:
            return Meaning(
                code: .addressSpace, detail: "not enough memory or address space",
                remedy: "Raise the address-space limit (ulimit -v) or ask for a smaller map")
        case EAGAIN:
            return Meaning(
                code: .foreignProcessNamespace,
                detail: "another process with this process's id uses the store: the two run in separate pid namespaces",
                remedy: "Let all containers that share this volume share one pid namespace, or use one container for it"
            )
        default: return Meaning(code: .other)
        }
    }
}
