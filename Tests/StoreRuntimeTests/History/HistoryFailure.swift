import TestSupport

/// A difference between a history and the oracle, with the seed that repeats it, and the last events.
struct HistoryFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let events: [HistoryEvent]
    let difference: String

    var description: String {
        """
        \(difference)
        replay with MODELSTORE_SEED=\(seed):
        \(Brief.last(of: events))
        """
    }
}

/// A description of the difference.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ text: Brief) { description = text.description }
}
