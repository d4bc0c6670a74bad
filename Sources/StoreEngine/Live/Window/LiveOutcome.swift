/// The effect of a step on the live requests of a store.
package struct LiveOutcome: Sendable {
    /// A live request that could not be kept up to date, and the error. The request has been removed.
    package struct Failure: Sendable {
        package let id: LiveRequestID
        package let error: StoreError
    }

    /// The requests whose results changed, ascending.
    package internal(set) var changed: [LiveRequestID] = []
    /// The requests that failed and have been removed, ascending.
    package internal(set) var failures: [Failure] = []

    mutating func sort() {
        changed.sort()
        failures.sort { $0.id < $1.id }
    }
}

/// The work of keeping live requests up to date so far.
package struct LiveCounters: Hashable, Sendable {
    /// The number of times that a request checked a change.
    package internal(set) var visited = 0
    /// The number of times that a record was tested against a condition.
    package internal(set) var tested = 0
    /// The number of times that rows after the end of a window were fetched.
    package internal(set) var refills = 0
    /// The number of times that a request was rerun.
    package internal(set) var reruns = 0
    /// The number of records and index entries read for refills and reruns.
    package internal(set) var scanned = 0

    mutating func add(_ other: LiveCounters) {
        visited += other.visited
        tested += other.tested
        refills += other.refills
        reruns += other.reruns
        scanned += other.scanned
    }
}
