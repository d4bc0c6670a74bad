extension LMDBEnvironment {
    func failure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        LMDBError(code: code, operation: "\(operation)", path: path)
    }

    /// A failure of an operation that writes.
    func writeFailure(_ code: Int32, _ operation: StaticString) -> LMDBError {
        failure(code, operation)
    }

    func refused(_ refusal: TransactionGateState.Refusal, _ operation: StaticString) -> LMDBError {
        switch refusal {
        case .closed:
            LMDBError(
                .closed, operation: "\(operation)", path: path, detail: "the environment is closed",
                remedy: "Open it again")
        case .alreadyWriting:
            LMDBError(
                .busy, operation: "\(operation)", path: path,
                detail: "this thread has a write transaction open, which this would wait for without end",
                remedy: "Commit or abort it first, or begin a child of it")
        case .abandonedWriter:
            LMDBError(
                .wrongThread, operation: "\(operation)", path: path,
                detail: "a write transaction was dropped on another thread than its own and still holds LMDB's lock",
                remedy: "Let the thread that began it begin again, which ends it; run writes on one thread only")
        }
    }

    func wrongThread(_ operation: StaticString) -> LMDBError {
        LMDBError(
            .wrongThread, operation: "\(operation)", path: path,
            detail: "a write transaction was used on another thread than the one that began it",
            remedy: "Begin, write and commit on one thread")
    }

    func notInnermost(_ operation: StaticString, hasEnded: Bool) -> LMDBError {
        LMDBError(
            .badTransaction, operation: "\(operation)", path: path,
            detail: hasEnded
                ? "the transaction has ended, with the one around it" : "the transaction has a child that still runs",
            remedy: hasEnded ? "Begin a new one" : "Commit or abort the child first")
    }

    /// Whether a second open with these options may share this environment.
    func checkSharing(by other: Options, at otherPath: String) throws(LMDBError) {
        var conflicts: [String] = []
        if other.isReadOnly != options.isReadOnly { conflicts.append("isReadOnly") }
        if other.syncs != options.syncs { conflicts.append("syncs") }
        if other.mapSize > options.mapSize { conflicts.append("mapSize") }
        if other.maximumReaders > options.maximumReaders { conflicts.append("maximumReaders") }
        if other.maximumDatabases > options.maximumDatabases { conflicts.append("maximumDatabases") }
        guard !conflicts.isEmpty else { return }
        throw LMDBError(
            .conflictingOptions, operation: "open", path: otherPath,
            detail: "this process has the store open with other options: \(conflicts.joined(separator: ", "))",
            remedy: "Open it with the same options, or close the other first")
    }
}
