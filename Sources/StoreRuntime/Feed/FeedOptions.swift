public import StoreEngine

/// How the feed is read.
public struct FeedOptions: Sendable {
    /// Which changes are wanted; all when empty, else those that pass one of these.
    public var filters: [FeedFilter] = []
    /// Whether change sets that this process wrote under this name are left out. Resets come in any case: a foreign program wrote.
    public var skipsOwnOrigin = false
    /// Whether change sets that wait together are put together into one, with the net change of each record.
    ///
    /// A reader that keeps up gets each by itself. One that comes in parts is never put together with others.
    public var squashes = false
    /// Whether an empty change set tells how far the reader is when the filters let nothing through.
    public var reportsProgress = false
    /// The most changes in one part of a change set: what a reader keeps in memory. At least 1.
    ///
    /// A part of which the filters leave nothing does not come, but for the last one after others that came: it is empty then.
    public var changesPerPart = 10_000

    /// All changes, each change set by itself.
    public init() {}

    /// Only what passes one of some filters.
    public init(only filters: FeedFilter...) { self.filters = filters }
}
