public import StoreEngine

/// How the feed is read.
public struct FeedOptions: Sendable {
    /// Which changes are wanted; all when empty, else those that pass one of these.
    public var filters: [FeedFilter] = []
    /// Whether change sets are left out that were written by this process's name and process id. Resets come in any case: a foreign
    /// program wrote. What an earlier run wrote is left out, too, if it had the same process id, as in a container.
    public var skipsOwnOrigin = false
    /// Whether change sets that wait together are put together into one, with the net change of each record, as far as they are read
    /// at once: about a mebibyte, ``changesPerPart`` changes at most.
    ///
    /// A reader that keeps up gets each by itself. One that comes in parts is never put together with others.
    public var mergesPending = false
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
