/// Keeps older versions for the views that can read them.
protocol Versioned: AnyObject, Sendable {
    /// Drops versions that no view can read any more.
    ///
    /// - Returns: whether older versions remain.
    func prune(below floor: UInt64) -> Bool
}

/// An observable object other than a model that a step changed.
protocol Publishing: Versioned {
    /// Notifies Observation that the published value will change.
    func willPublish(_ sequence: UInt64)
    /// Notifies Observation and subscribers that the published value has changed.
    func didPublish(_ sequence: UInt64)
    /// Notifies observers that no more changes come, because the store was closed.
    func end()
}
