/// What keeps versions for views that are older than the newest.
protocol Versioned: AnyObject, Sendable {
    /// Forgets versions that nobody may ask for.
    ///
    /// - Returns: whether there are older ones still.
    func prune(below floor: UInt64) -> Bool
}

/// What a step changed besides models, and observers are told of.
protocol Publishing: Versioned {
    /// Tells Observation that what is visible will change.
    func willShow(_ sequence: UInt64)
    /// Tells Observation and subscribers that what is visible has changed.
    func didShow(_ sequence: UInt64)
    /// Says that nothing comes any more: the store was closed.
    func end()
}
