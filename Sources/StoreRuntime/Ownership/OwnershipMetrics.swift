/// The numbers of objects, scopes and pins that an ownership registry knows.
public struct OwnershipMetrics: Sendable, Hashable {
    /// The number of pins.
    public let pinCount: Int
    /// The number of objects that are pinned or kept for the grace period.
    public let objectCount: Int
    /// The number of live models of the store, pinned or not.
    public let modelCount: Int
    /// The number of models that are kept for the grace period.
    public let restingCount: Int
    /// The number of open scopes.
    public let scopeCount: Int
    /// The number of objects that are alive although the last scope that owned or borrowed them is closed.
    public let leakCount: Int
    /// The number of notices that were given.
    public let noticeCount: Int
}
