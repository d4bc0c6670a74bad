import StoreEngine

/// Selects the changes that a reader of the feed wants.
struct FeedSieve {
    private let filters: [FeedFilter]
    private let skipped: Origin?
    private let skippedConsumer: String?
    private let skipsMigrations: Bool
    private let unfitRecords: UnfitRecords
    /// The filters, compiled for a version of the catalog.
    private var ready: (version: UInt64, filters: FeedFilters)?
    /// The change set of which parts have passed, but not yet the last.
    private var openSequence: UInt64?

    /// Creates a sieve for `options`.
    ///
    /// - Parameters:
    ///   - own: the origin of this process in the feed.
    ///   - skippedConsumer: the name of a consumer whose change sets are skipped.
    init(_ options: FeedOptions, own: Origin, skippedConsumer: String? = nil) {
        filters = options.filters
        skipped = options.skipsOwnOrigin ? own : nil
        self.skippedConsumer = skippedConsumer
        skipsMigrations = options.skipsMigrations
        unfitRecords = options.unfitRecords
    }

    /// Returns the wanted changes of a part; nil if there are none.
    ///
    /// If an earlier part of the change set was wanted, the last part always is, because readers wait for the end of the change
    /// set.
    mutating func wanted(_ part: FeedPart, _ state: StoreState) throws -> ChangeSet? {
        let isAwaited = part.isLast && openSequence == part.sequence
        guard var set = try passed(part, state) ?? (isAwaited ? ChangeSet(part, wanted: [], state) : nil) else {
            return nil
        }
        set.unfitRecords = unfitRecords
        openSequence = part.isLast ? nil : part.sequence
        return set
    }

    private mutating func passed(_ part: FeedPart, _ state: StoreState) throws -> ChangeSet? {
        let origin = part.header.origin
        // A reset is never a reader's own change: whichever process noted it, a foreign program wrote.
        let isOwn = origin == skipped || skippedConsumer != nil && origin.consumerName == skippedConsumer
        if isOwn, !part.changes.contains(where: { $0.kind == .reset }) { return nil }
        if skipsMigrations, origin.kind.isMigration { return nil }
        guard !filters.isEmpty else { return ChangeSet(part, wanted: nil, state) }
        let filters = try readyFilters(state)
        var changeIndexes: [Int] = []
        for (changeIndex, change) in part.changes.enumerated() {
            do {
                if try filters.pass(change, type: ChangeSet.type(of: change, state)) {
                    changeIndexes.append(changeIndex)
                }
            } catch {
                throw StoreError(error, at: "change \(part.firstIndex + changeIndex) of change set \(part.sequence)")
            }
        }
        return changeIndexes.isEmpty ? nil : ChangeSet(part, wanted: changeIndexes, state)
    }

    private mutating func readyFilters(_ state: StoreState) throws -> FeedFilters {
        if let ready, ready.version == state.catalog.version { return ready.filters }
        let made = try FeedFilters(filters, state.catalog)
        ready = (state.catalog.version, made)
        return made
    }
}
