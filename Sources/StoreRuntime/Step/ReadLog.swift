import StoreEngine

/// What a closure has read of models and live results in a read view, to know whether it has to run again.
final class ReadLog {
    /// Something that was read, and at which of its versions.
    private var reads: [(source: any LoggedSource, version: UInt64, part: Int)] = []

    func note(_ source: any LoggedSource, version: UInt64, part: Int) { reads.append((source, version, part)) }

    /// Whether something that was read is another by now.
    var isStale: Bool { reads.contains { $0.source.hasChanged(since: $0.version, part: $0.part) } }
}

/// What can be read in a read view and changes.
protocol LoggedSource: AnyObject, Sendable {
    /// Whether the newest version, shown or not, differs in a part of it from an earlier one.
    func hasChanged(since version: UInt64, part: Int) -> Bool
}
