internal import CLMDB
internal import Glibc

extension LMDBError {
    /// Creates an error from a code of LMDB or the system. All codes get their meaning here.
    init(code systemCode: Int32, operation: String, path: String?) {
        let meaning = Meaning.of(systemCode, isOfHandle: !operation.hasPrefix("mdb_env"))
        self.init(
            meaning.code, operation: operation, path: path, systemCode: systemCode,
            detail: meaning.detail ?? Calls.message(for: systemCode), remedy: meaning.remedy
        )
    }

    /// Returns the same error with more detail.
    func adding(_ more: String) -> LMDBError {
        LMDBError(
            code, operation: operation, path: path, systemCode: systemCode, detail: "\(detail); \(more)",
            remedy: remedy, isOutcomeUnknown: isOutcomeUnknown)
    }

    /// Returns the same error with `isOutcomeUnknown`: the outcome of the transaction's commit cannot be determined.
    func withUnknownOutcome() -> LMDBError {
        LMDBError(
            code, operation: operation, path: path, systemCode: systemCode,
            detail: "\(detail); the commit's meta page could not be written, so its outcome is unknown",
            remedy: "close the environment, open it again, and check whether the transaction was committed",
            isOutcomeUnknown: true
        )
    }
}

/// The meaning of a code, and its remedy.
private struct Meaning {
    var code: LMDBError.Code
    /// Nil for the text of LMDB or the system.
    var detail: String?
    var remedy: String?

    init(_ code: LMDBError.Code, _ detail: String? = nil, remedy: String? = nil) {
        self.code = code
        self.detail = detail
        self.remedy = remedy
    }

    /// `isOfHandle`: whether the operation used a transaction and a database. EINVAL then refers to these handles.
    static func of(_ code: Int32, isOfHandle: Bool) -> Meaning {
        code == EINVAL && isOfHandle ? refusedHandle : meanings[code] ?? Meaning(.other)
    }

    private static let refusedHandle = Meaning(
        .badTransaction, "LMDB refused the handle",
        remedy: "open the database before the transaction begins, and use it before the transaction ends")

    private static let badTransaction = Meaning(
        .badTransaction, "the transaction has failed, has ended, or has a live child",
        remedy: "end it and begin a new one")

    private static let damaged = Meaning(
        .damaged, remedy: "restore the store from a copy, or export the records that are still readable")

    private static let diskFull = Meaning(
        .diskFull, remedy: "free space on the disk, then run the transaction again")

    private static let accessDenied = Meaning(
        .accessDenied, remedy: "give this process's user access to the store's directory and files")

    /// LMDB's codes are negative, and the system's are positive.
    private static let meanings: [Int32: Meaning] = [
        MDB_NOTFOUND: Meaning(.notFound),
        MDB_KEYEXIST: Meaning(.keyExists),
        MDB_MAP_FULL: Meaning(
            .mapFull, "the map has no free page left",
            remedy: "abort the transaction, grow the map, and run the transaction again"),
        MDB_MAP_RESIZED: Meaning(
            .mapResized, "another process grew the store past this process's map",
            remedy: "end this process's transactions and begin again"),
        MDB_READERS_FULL: Meaning(
            .readersFull, "all slots of the reader table are taken",
            remedy: "end read transactions, or open the store in the first process with a larger maximumReaders"),
        MDB_TXN_FULL: Meaning(
            .transactionTooLarge, "the transaction touches too many pages",
            remedy: "split the work over several transactions"),
        MDB_DBS_FULL: Meaning(
            .databasesFull,
            "all handles for named databases are taken; record types and their indexes take one each",
            remedy: "open the store with a larger maximumDatabases, at the first open in the process"),
        MDB_BAD_VALSIZE: Meaning(
            .keySize, "a key must have 1 to 511 bytes, and a value less than 4 GiB",
            remedy: "shorten the key, for example with a hash of its end"),
        MDB_INCOMPATIBLE: Meaning(.incompatible, "the database is of another kind, or the entry is not a database"),
        MDB_CORRUPTED: damaged, MDB_PAGE_NOTFOUND: damaged, MDB_CURSOR_FULL: damaged, MDB_PAGE_FULL: damaged,
        MDB_PANIC: Meaning(
            .panicked, "LMDB disabled this environment after a fatal error",
            remedy: "close the environment and open it again"),
        MDB_VERSION_MISMATCH: Meaning(
            .newerFormat, "the file's data version differs from that of this liblmdb",
            remedy: "open it with the program that wrote it, or with a newer liblmdb"),
        MDB_INVALID: Meaning(.notAStore, "the file is not an LMDB data file"),
        MDB_BAD_RSLOT: badTransaction, MDB_BAD_TXN: badTransaction, MDB_BAD_DBI: badTransaction,
        ENOSPC: diskFull, EDQUOT: diskFull, EFBIG: diskFull,
        EIO: Meaning(.ioError, remedy: "check the disk's free space and the kernel log"),
        EACCES: accessDenied, EPERM: accessDenied,
        ENOENT: Meaning(.noSuchFile), ENOTDIR: Meaning(.noSuchFile),
        EROFS: Meaning(.readOnly, remedy: "open the store read-only"),
        EBUSY: Meaning(.busy),
        ENOMEM: Meaning(
            .addressSpace, "not enough memory or address space",
            remedy: "raise the address-space limit (ulimit -v), or open the store with a smaller map"),
        EAGAIN: Meaning(
            .foreignProcessNamespace,
            "another process with this process's id uses the store: the two run in separate pid namespaces",
            remedy: "let all containers that share this volume share one pid namespace, or use one container for it"),
    ]
}
