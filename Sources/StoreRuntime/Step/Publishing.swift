/// What a step changed, and observers are told of.
protocol Publishing: AnyObject, Sendable {
    /// Tells Observation that what is visible will change.
    func willShow(_ sequence: UInt64)
    /// Tells Observation and subscribers that what is visible has changed.
    func didShow(_ sequence: UInt64)
    /// Forgets versions that nobody may ask for.
    ///
    /// - Returns: whether there are older ones still.
    func prune(below floor: UInt64) -> Bool
    /// Says that nothing comes any more: the store was closed.
    func end()
}
