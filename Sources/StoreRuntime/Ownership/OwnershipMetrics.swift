/// How many objects, scopes and pins an ownership registry knows.
public struct OwnershipMetrics: Sendable, Hashable {
    /// The pins.
    public let pinCount: Int
    /// The objects that are pinned or kept for the grace period.
    public let objectCount: Int
    /// The live models of the store, pinned or not.
    public let modelCount: Int
    /// The models that are kept for the grace period.
    public let restingCount: Int
    /// The open scopes.
    public let scopeCount: Int
    /// The objects that are alive although the last scope that had them is closed.
    public let leakCount: Int
    /// The notices that were given.
    public let noticeCount: Int
}
