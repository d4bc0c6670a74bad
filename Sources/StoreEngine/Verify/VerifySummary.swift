import LMDB

/// The numbers of items that `verify` has checked, and of its findings.
package struct VerifySummary: Hashable, Sendable {
    /// Record types in the catalog.
    package var typeCount = 0
    /// Records, damaged ones included.
    package var recordCount = 0
    /// Entries of all indexes.
    package var entryCount = 0
    /// Retained change sets.
    package var changeSetCount = 0
    /// Changes in the retained change sets.
    package var changeCount = 0
    /// Findings.
    package var findingCount = 0

    package init() {}
}

/// Passes on the findings of the parts of a verification, and counts them.
final class VerifyReport {
    var summary = VerifySummary()
    private var visitedEntries = 0
    private let onFinding: (VerifyFinding) -> Void
    private let onProgress: (_ visited: Int) -> Void

    init(_ onFinding: @escaping (VerifyFinding) -> Void, onProgress: @escaping (_ visited: Int) -> Void) {
        self.onFinding = onFinding
        self.onProgress = onProgress
    }

    /// Counts an entry that the walk has reached.
    func visit() {
        visitedEntries += 1
        if visitedEntries.isMultiple(of: 1_024) { onProgress(visitedEntries) }
    }

    func add(_ kind: VerifyFinding.Kind, at location: VerifyLocation, _ message: String) {
        summary.findingCount += 1
        onFinding(VerifyFinding(kind, at: location, message))
    }

    /// Runs a part of the verification. An error that stops the part becomes a finding, and the next part still runs.
    ///
    /// - Returns: whether the part ran to its end.
    @discardableResult
    func attempt(_ location: VerifyLocation, _ part: () throws -> Void) -> Bool {
        do {
            try part()
            return true
        } catch let error as CodecError {
            add(.undecodable, at: location, error.reason)
        } catch {
            add(.storage, at: location, ErrorText.of(error))
        }
        return false
    }
}
