import LMDB
package import StoreEngine

extension Store {
    /// Checks all parts of the store against each other, in one snapshot, while the store is in use.
    ///
    /// - Parameter onFinding: called with each finding; the check continues after it.
    /// - Returns: how much was checked.
    /// - Throws: ``StoreError``: `reopenNeeded` after a failed sync of the data file, and the errors of a read.
    @discardableResult
    package func verify(_ onFinding: @escaping (VerifyFinding) -> Void) throws(StoreError) -> VerifySummary {
        try requireOpen()
        return try Self.verify(core.environment, onFinding)
    }

    /// Verifies the store in a directory without opening it as a `Store`, which damage may prevent. Other processes may use it
    /// meanwhile. If this process has the store open, verify it through its `Store`.
    ///
    /// - Parameters:
    ///   - onProgress: called now and then with the number of entries of the feed, of records and of indexes that were checked.
    ///   - onFinding: called with each finding; the check continues after it.
    /// - Throws: ``StoreError``: `notAStore`, `noSuchStore`, `inUse`, `reopenNeeded` and the errors of opening an environment.
    @discardableResult
    package static func verify(
        at path: String, options: StoreOptions = StoreOptions(),
        onProgress: @escaping (_ visited: Int) -> Void = { _ in }, _ onFinding: @escaping (VerifyFinding) -> Void
    ) throws(StoreError) -> VerifySummary {
        try withEnvironment(at: path, options) { environment throws(StoreError) in
            try verify(environment, onProgress: onProgress, onFinding)
        }
    }

    /// Opens the environment of a store for reading, without opening the store in it, and closes it after `body`.
    ///
    /// - Parameters:
    ///   - options: the longest wait for another process that opens or recovers the store (`writeTimeout`), and the
    ///     receiver of events (`onEvent`).
    ///   - readsPages: see `LMDBEnvironment.Options`.
    static func withEnvironment<T>(
        at path: String, _ options: StoreOptions, readsPages: Bool = true,
        _ body: (LMDBEnvironment) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        var options = options
        options.isReadOnly = true
        try StoreDirectory.prepare(path, options: options)
        let environment = try mapLMDB { () throws(LMDBError) in
            var wanted = LMDBEnvironment.Options(
                maximumReaders: options.maximumReaders, maximumDatabases: StoreOptions.databasesOfAnyStore,
                isReadOnly: true)
            wanted.readsPages = readsPages
            wanted.recoveryPatience = options.writeTimeout
            return try LMDBEnvironment.open(
                at: path, options: wanted, waiting: { options.warn(.recoveryAwaited(waited: $0)) })
        }
        defer { environment.close() }
        return try body(environment)
    }

    private static func verify(
        _ environment: LMDBEnvironment, onProgress: @escaping (_ visited: Int) -> Void = { _ in },
        _ onFinding: @escaping (VerifyFinding) -> Void
    ) throws(StoreError) -> VerifySummary {
        let attempts = 8
        var attempt = 1
        while true {
            try mapLMDB { () throws(LMDBError) in try environment.requireWrittenPages() }
            let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            do {
                var summary = try StoreVerifier.verify(raw.snapshot, onProgress: onProgress, onFinding: onFinding)
                // A sync may have failed meanwhile.
                if summary.findingCount > 0 {
                    try mapLMDB { () throws(LMDBError) in try environment.requireWrittenPages() }
                }
                let fault = try mapLMDB { () throws(LMDBError) in try RedoFiles.fault(in: environment.path) }
                if let fault {
                    summary.findingCount += 1
                    onFinding(VerifyFinding(.storage, at: .redoLog, fault))
                }
                return summary
            } catch {
                // Another process has just created a database; the next snapshot shows it.
                guard error.code == .inUse, attempt < attempts else { throw error }
                attempt += 1
            }
        }
    }
}
