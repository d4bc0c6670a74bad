import LMDB
package import StoreEngine

extension Store {
    /// Checks everything in the store against everything else, in one snapshot, while it is in use.
    ///
    /// Damage of LMDB's own pages may end the process: verify a store that is suspected of it in a process of its own.
    ///
    /// - Parameter onFinding: called with each finding; the walk goes on after it.
    /// - Returns: how much was looked at.
    /// - Throws: ``StoreError``.
    @discardableResult
    package func verify(_ onFinding: @escaping (VerifyFinding) -> Void) throws(StoreError) -> VerifySummary {
        try requireOpen()
        return try Self.verify(core.environment, onFinding)
    }

    /// Verifies the store in a directory without opening it as a `Store`, which damage may forbid. Other processes may use
    /// it meanwhile; one that this process has open is verified through its `Store`.
    ///
    /// - Parameters:
    ///   - onProgress: called now and then with how many entries of the feed, of records and of indexes it has looked at.
    ///   - onFinding: called with each finding; the walk goes on after it.
    /// - Throws: ``StoreError``: `notAStore`, `noSuchStore`, `inUse` and what keeps an environment from being opened.
    @discardableResult
    package static func verify(
        at path: String, onProgress: @escaping (_ visited: Int) -> Void = { _ in },
        _ onFinding: @escaping (VerifyFinding) -> Void
    ) throws(StoreError) -> VerifySummary {
        var options = StoreOptions()
        options.isReadOnly = true
        try StoreDirectory.prepare(path, options: options)
        let environment = try mapLMDB { () throws(LMDBError) in
            try LMDBEnvironment.open(
                at: path, options: LMDBEnvironment.Options(maximumReaders: options.maximumReaders, isReadOnly: true))
        }
        defer { environment.close() }
        return try verify(environment, onProgress: onProgress, onFinding)
    }

    private static func verify(
        _ environment: LMDBEnvironment, onProgress: @escaping (_ visited: Int) -> Void = { _ in },
        _ onFinding: @escaping (VerifyFinding) -> Void
    ) throws(StoreError) -> VerifySummary {
        let attempts = 8
        var attempt = 1
        while true {
            let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
            do {
                return try StoreVerifier.verify(raw.snapshot, onProgress: onProgress, onFinding: onFinding)
            } catch {
                // Another process has just created a database; the next snapshot shows it.
                guard error.code == .inUse, attempt < attempts else { throw error }
                attempt += 1
            }
        }
    }
}
