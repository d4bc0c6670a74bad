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
    private let onFinding: (VerifyFinding) -> Void

    init(_ onFinding: @escaping (VerifyFinding) -> Void) { self.onFinding = onFinding }

    func add(_ kind: VerifyFinding.Kind, at place: VerifyPlace, _ message: String) {
        summary.findingCount += 1
        onFinding(VerifyFinding(kind, at: place, message))
    }

    /// Runs a part; an error that keeps it from going on is a finding, and the next part runs all the same.
    func attempt(_ place: VerifyPlace, _ part: () throws -> Void) {
        do {
            try part()
        } catch let error as CodecError {
            add(.undecodable, at: place, error.reason)
        } catch {
            add(.storage, at: place, "\(error)")
        }
    }
}
