/// The requests of a component that outlast its update.
struct NodeLife {
    var hasAppeared = false
    /// The handlers for the end, from the newest update.
    var closers: [() -> Void] = []
    /// The values of `onChange`, by the place in the code that requests them.
    var watched: [CallSite: Any] = [:]
    /// How often each line placed or requested something without an id.
    var turns: [PlacingLine: Int] = [:]
    /// The tasks, by the place in the code that requests them, with the id of each.
    var tasks: [CallSite: (id: AnyHashable, task: Task<Void, Never>)] = [:]
    /// The receivers of sequences, with the identity of each sequence.
    var receivers: [CallSite: (id: ReceiverID, receiver: AnyObject)] = [:]
    /// The values that flow up from here, by key.
    var preferences: [ObjectIdentifier: Any] = [:]
    /// The requests for values that flow up to here, by key.
    var askers: [ObjectIdentifier: PreferenceAsker] = [:]

    mutating func end() {
        for (_, task) in tasks { task.task.cancel() }
        for closer in closers.reversed() { closer() }
        self = NodeLife()
        hasAppeared = true
    }
}

/// Where an update requests something: a line, and its turn there.
struct CallSite: Hashable {
    let line: PlacingLine
    let turn: Int
}

/// A component's request for a preference.
struct PreferenceAsker {
    /// The value that was delivered last.
    let memory: AnyObject
    /// Combines the values below a node, and delivers the result if it has changed.
    let ask: (Node) -> Void
}
