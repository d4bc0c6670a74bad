public import StoreEngine

/// The options for reading the feed.
public struct FeedOptions: Sendable {
    /// Which changes are delivered: those that pass at least one filter, or all changes if there are no filters.
    public var filters: [FeedFilter] = []
    /// Whether to leave out change sets that were written under this process's name and process id. Resets come in any case,
    /// because a foreign program wrote. Change sets of an earlier run are left out too if it had the same process id, as in a
    /// container.
    public var skipsOwnOrigin = false
    /// What happens to a change whose record does not fit the type of the program any more. A migration checks the current
    /// records of a type, but not those in older change sets.
    public var unfitRecords = UnfitRecords.deliver
    /// Whether to leave out the change sets of migrations.
    package var skipsMigrations = false
    /// Whether to merge waiting change sets into one, with the net change of each record. It merges the change sets that are read
    /// at once: about a mebibyte, and at most ``changesPerPart`` changes.
    ///
    /// A reader that keeps up receives each change set by itself. A change set that comes in parts is never merged with others,
    /// nor is one with those of another ``ChangeSet/kind``, nor that of a migration.
    public var mergesPending = false
    /// Whether an empty change set reports the position of the reader when the filters let nothing through.
    public var reportsProgress = false
    /// The most changes in one part of a change set, which a reader keeps in memory. From 1 to 16,777,216; a reader with another
    /// value fails with ``StoreError/Code/invalidValue``.
    ///
    /// A part is left out if no change in it passes the filters. The last part always comes if an earlier part came; it may then
    /// be empty.
    public var changesPerPart = 10_000

    /// Creates options that deliver all changes, each change set by itself.
    public init() {}

    /// Creates options that deliver only changes that pass at least one filter.
    public init(only filters: FeedFilter...) { self.filters = filters }
}
