/// What a component has asked for that outlasts its update.
struct NodeLife {
    var hasAppeared = false
    /// What to do at the end, as the newest update says.
    var closers: [() -> Void] = []
    /// The values of `onChange`, by the line.
    var watched: [PlacingLine: Any] = [:]
    /// The tasks, by the line, with the id of each.
    var tasks: [PlacingLine: (id: AnyHashable, task: Task<Void, Never>)] = [:]
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

/// Who asks for a preference.
struct PreferenceAsker {
    /// What was told last.
    let memory: AnyObject
    /// Joins the values below a node, and tells them if they are others than the last.
    let ask: (Node) -> Void
}
