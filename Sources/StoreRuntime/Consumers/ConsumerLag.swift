import StoreEngine

/// How many change sets a consumer has not handled yet.
struct ConsumerLag {
    /// The most reads of the feed to count them, each of about a mebibyte or a thousand changes. Later change sets count as
    /// wanted.
    private static let readLimit = 16
    private static let changesPerRead = 1_000

    /// The number of wanted change sets after the consumer's position.
    let count: UInt64
    /// Why there may be fewer; nil if the count is exact.
    let bound: ConsumerInformation.LagBound?

    /// Counts in a snapshot of the store.
    ///
    /// - Parameters:
    ///   - filters: the consumer's filters if this process knows them; nil for those that the store keeps.
    ///   - readCondition: reads the conditions of the filters that the store keeps.
    init(
        of consumer: NamedConsumer, _ scope: ReadContext, newest: UInt64, _ filters: [FeedFilter]?,
        _ readCondition: ConsumerInterest.ConditionReader
    ) {
        let behind = newest - min(consumer.state.position.sequence, newest)
        guard behind > 0 else {
            (count, bound) = (0, nil)
            return
        }
        do {
            let interest = try scope.interest(ofConsumer: consumer.name)
            let stored = interest.feedFilters(scope.catalog, readCondition)
            let counted = try ConsumerLag.count(
                consumer, filters ?? stored.filters, interest, scope, newest: newest)
            count = counted.count
            if counted.count > 0, filters == nil, !stored.areExact {
                bound = .unknownCondition
            } else {
                bound = counted.isComplete ? nil : .tooFarBehind
            }
        } catch {
            // Each of them may be wanted.
            let isOfFilter = [.unknownType, .unknownField, .invalidValue].contains((error as? StoreError)?.code)
            (count, bound) = (behind, isOfFilter ? .outdatedFilter : .missingChangeSets)
        }
    }

    private static func count(
        _ consumer: NamedConsumer, _ filters: [FeedFilter], _ interest: ConsumerInterest, _ scope: ReadContext,
        newest: UInt64
    ) throws -> (count: UInt64, isComplete: Bool) {
        var options = FeedOptions()
        options.filters = filters
        let skipped = interest.skippedOrigin
        options.skipsOwnOrigin = skipped != nil
        options.skipsMigrations = !interest.includesMigrations
        var sieve = FeedSieve(
            options, own: skipped ?? Origin(name: "", processID: 0), skippedConsumer: consumer.name)
        var walk = FeedWalk(after: consumer.state.position)
        var (count, last): (UInt64, UInt64) = (0, 0)
        for _ in 0..<readLimit where walk.position.sequence < newest {
            for part in try walk.read(scope, FeedWalk.Limits(changes: changesPerRead)) {
                guard last != part.sequence, try sieve.wanted(part, scope.state) != nil else { continue }
                count += 1
                last = part.sequence
            }
        }
        // A change set that was begun and counted is not passed yet.
        let rest = newest - walk.position.sequence - (walk.isInside && last == walk.position.sequence + 1 ? 1 : 0)
        return (count + rest, rest == 0 && !walk.isInside)
    }
}
