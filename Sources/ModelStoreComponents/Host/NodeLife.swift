/// What a component has asked for that outlasts its update.
struct NodeLife {
    var hasAppeared = false
    /// What to do at the end, as the newest update says.
    var closers: [() -> Void] = []
    /// The values of `onChange`, by where they are asked for.
    var watched: [CallSite: Any] = [:]
    /// The tasks, by where they are asked for, with the id of each.
    var tasks: [CallSite: (id: AnyHashable, task: Task<Void, Never>)] = [:]
    /// The receivers of those that receive elements, with the identity of each one's sequence.
    var receivers: [CallSite: (id: ReceiverID, receiver: AnyObject)] = [:]
    /// What flows up from here, by the key.
    var preferences: [ObjectIdentifier: Any] = [:]
    /// Who asks for what flows up to here, by the key.
    var askers: [ObjectIdentifier: PreferenceAsker] = [:]

    mutating func end() {
        for (_, task) in tasks { task.task.cancel() }
        for closer in closers.reversed() { closer() }
        self = NodeLife()
        hasAppeared = true
    }
}

/// Where an update asks for something: a line, and its turn there.
struct CallSite: Hashable {
    let line: PlacingLine
    let turn: Int
}

/// Who asks for a preference.
struct PreferenceAsker {
    /// What was told last.
    let memory: AnyObject
    /// Joins the values below a node, and tells them if they are others than the last.
    let ask: (Node) -> Void
}
