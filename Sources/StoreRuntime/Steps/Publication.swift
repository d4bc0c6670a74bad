import StoreEngine

/// The changes of one step, for their observers.
struct Publication {
    let sequence: UInt64
    /// The models that changed, each with its version from this step on.
    var models: [(state: ModelState, version: AnyModelVersion)] = []
    /// Everything else.
    var others: [any Publishing] = []

    init(_ sequence: UInt64) { self.sequence = sequence }

    /// Notifies Observation that published values will change.
    func willPublish() {
        for (state, version) in models { state.willPublish(version) }
        for other in others { other.willPublish(sequence) }
    }

    /// Notifies Observation and subscribers that published values have changed.
    ///
    /// - Parameter floor: the oldest position at which a view can read.
    /// - Returns: the objects that still have older versions.
    func didPublish(floor: UInt64) -> [any Versioned] {
        var older: [any Versioned] = []
        var signals: [Signal] = []
        for (state, version) in models where state.didPublish(version, floor: floor, &signals) { older.append(state) }
        for other in others {
            other.didPublish(sequence)
            if other.prune(below: floor) { older.append(other) }
        }
        for signal in signals { signal.raise() }
        return older
    }
}
