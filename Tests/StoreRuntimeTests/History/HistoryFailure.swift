/// A history that went otherwise than the oracle says, with all that repeats it.
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

/// What differs.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
