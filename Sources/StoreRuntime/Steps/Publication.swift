import StoreEngine

/// What a step has changed, for those who observe it.
struct Publication {
    let sequence: UInt64
    /// The models that changed, with what they show from this step on.
    var models: [(state: ModelState, version: AnyModelVersion)] = []
    /// The models whose records cannot be read, and which end.
    var ended: [ModelState] = []
    /// Everything else.
    var others: [any Publishing] = []

    init(_ sequence: UInt64) { self.sequence = sequence }

    /// Tells Observation that what is visible will change.
    func willShow() {
        for (state, version) in models { state.willShow(version) }
        for other in others { other.willShow(sequence) }
    }

    /// Tells Observation and subscribers that what is visible has changed.
    ///
    /// - Parameter floor: nobody asks for anything older.
    /// - Returns: what has older versions still.
    func didShow(floor: UInt64) -> [any Versioned] {
        var older: [any Versioned] = []
        var signals: [Signal] = []
        for (state, version) in models where state.didShow(version, floor: floor, &signals) { older.append(state) }
        for other in others {
            other.didShow(sequence)
            if other.prune(below: floor) { older.append(other) }
        }
        for signal in signals { signal.raise() }
        for state in ended { state.end() }
        return older
    }
}
