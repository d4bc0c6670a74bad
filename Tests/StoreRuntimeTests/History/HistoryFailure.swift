/// A difference between a history and the oracle, with everything needed to repeat it.
struct HistoryFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let events: [HistoryEvent]
    let difference: String

    var description: String {
        """
        \(difference)
        replay with MODELSTORE_SEED=\(seed):
        \(events.map { "\($0)" }.joined(separator: "\n"))
        """
    }
}

/// A description of the difference.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
