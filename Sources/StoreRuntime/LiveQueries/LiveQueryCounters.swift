import StoreEngine

/// What keeping live queries up to date took so far.
public struct LiveQueryCounters: Hashable, Sendable {
    /// How many times a query looked at a change.
    public let visited: Int
    /// How many times a record was tested against a condition.
    public let tested: Int
    /// How many times rows were fetched behind the end of a window.
    public let refills: Int
    /// How many times a query was run again.
    public let reruns: Int
    /// How many records or entries of an index were looked at for both.
    public let scanned: Int

    init(_ counters: LiveCounters) {
        visited = counters.visited
        tested = counters.tested
        refills = counters.refills
        reruns = counters.reruns
        scanned = counters.scanned
    }
}
