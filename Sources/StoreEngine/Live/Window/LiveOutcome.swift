/// What a step did to the live requests of a store.
package struct LiveOutcome: Sendable {
    /// A live request that could not be kept up to date, and why. It is no longer there.
    package struct Failure: Sendable {
        package let id: LiveRequestID
        package let error: StoreError
    }

    /// The requests whose results changed, ascending.
    package internal(set) var changed: [LiveRequestID] = []
    /// The requests that ended, ascending.
    package internal(set) var failures: [Failure] = []

    mutating func sort() {
        changed.sort()
        failures.sort { $0.id < $1.id }
    }
}

/// What keeping live requests up to date took so far.
package struct LiveCounters: Hashable, Sendable {
    /// How many times a request looked at a change.
    package internal(set) var visited = 0
    /// How many times a record was tested against a condition.
    package internal(set) var tested = 0
    /// How many times rows were fetched behind the end of a window.
    package internal(set) var refills = 0
    /// How many times a request was run again.
    package internal(set) var reruns = 0
    /// How many records or entries of an index were looked at for both.
    package internal(set) var scanned = 0

    mutating func add(_ other: LiveCounters) {
        visited += other.visited
        tested += other.tested
        refills += other.refills
        reruns += other.reruns
        scanned += other.scanned
    }
}
