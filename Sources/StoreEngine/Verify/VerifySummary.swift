import LMDB

/// How much `verify` has looked at.
package struct VerifySummary: Hashable, Sendable {
    /// Record types in the catalog.
    package var typeCount = 0
    /// Records, damaged ones included.
    package var recordCount = 0
    /// Entries of all indexes.
    package var entryCount = 0
    /// Retained change sets.
    package var changeSetCount = 0
    /// Changes in them.
    package var changeCount = 0
    /// What was found.
    package var findingCount = 0
}

/// Passes on what the parts of a verification find, and counts.
final class VerifyReport {
    var summary = VerifySummary()
    private var visitedEntries = 0
    /// Whether LMDB has reported an error. It then refuses the transaction for anything else, in most cases.
    private var hasStorageError = false
    private let onFinding: (VerifyFinding) -> Void
    private let onProgress: (_ visited: Int) -> Void

    init(_ onFinding: @escaping (VerifyFinding) -> Void, onProgress: @escaping (_ visited: Int) -> Void) {
        self.onFinding = onFinding
        self.onProgress = onProgress
    }

    /// Counts an entry that the walk has come to.
    func visit() {
        visitedEntries += 1
        if visitedEntries.isMultiple(of: 1_024) { onProgress(visitedEntries) }
    }

    func add(_ kind: VerifyFinding.Kind, at location: VerifyLocation, _ message: String) {
        summary.findingCount += 1
        onFinding(VerifyFinding(kind, at: location, message))
    }

    /// Runs a part; an error that keeps it from going on is a finding, and the next part runs all the same.
    ///
    /// - Returns: whether the part came to its end.
    @discardableResult
    func attempt(_ location: VerifyLocation, _ part: () throws -> Void) -> Bool {
        do {
            try part()
            return true
        } catch let error as CodecError {
            add(.undecodable, at: location, error.reason)
        } catch let error as LMDBError {
            // A cursor that finds no root page tells so only by this code.
            let isGivenUp = error.code == .badTransaction
            switch (isGivenUp, hasStorageError) {
            case (true, true): add(.unchecked, at: location, "it was not checked: LMDB gave up after the error before")
            case (true, false): add(.storage, at: location, "LMDB cannot read its pages")
            case (false, _): add(.storage, at: location, ErrorText.of(error))
            }
            hasStorageError = true
        } catch {
            add(.storage, at: location, ErrorText.of(error))
        }
        return false
    }
}
