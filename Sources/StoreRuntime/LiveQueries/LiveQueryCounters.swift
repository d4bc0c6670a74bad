import StoreEngine

/// The work of keeping live queries up to date so far.
public struct LiveQueryCounters: Hashable, Sendable {
    /// How many times a query examined a change.
    public let visited: Int
    /// How many times a record was tested against a condition.
    public let tested: Int
    /// How many times a query fetched rows beyond the end of its window.
    public let refills: Int
    /// How many times a query was rerun.
    public let reruns: Int
    /// How many records and index entries the refills and reruns examined.
    public let scanned: Int

    init(_ counters: LiveCounters) {
        visited = counters.visited
        tested = counters.tested
        refills = counters.refills
        reruns = counters.reruns
        scanned = counters.scanned
    }
}
