import StoreEngine

/// How many change sets a consumer has still to deal with.
struct ConsumerLag {
    /// The most reads of the feed to count them, each of about a mebibyte or a thousand changes. Later change sets count as wanted.
    private static let readLimit = 16
    private static let changesPerRead = 1_000

    /// The change sets after its position that it wants.
    let count: UInt64
    /// Whether there are not fewer.
    let isExact: Bool

    /// Counts in a snapshot of the store.
    init(of consumer: NamedConsumer, _ scope: ReadingScope, newest: UInt64) {
        let behind = newest - min(consumer.state.position.sequence, newest)
        guard behind > 0 else {
            (count, isExact) = (0, true)
            return
        }
        do {
            (count, isExact) = try ConsumerLag.counted(consumer, scope, newest: newest)
        } catch {
            // Its change sets are gone or damaged, or its filter fits the schema no longer: any of them may be wanted.
            (count, isExact) = (behind, false)
        }
    }

    private static func counted(
        _ consumer: NamedConsumer, _ scope: ReadingScope, newest: UInt64
    ) throws -> (count: UInt64, isExact: Bool) {
        let interest = try scope.interest(ofConsumer: consumer.name)
        var options = FeedOptions()
        options.filters = interest.feedFilters
        options.skipsOwnOrigin = interest.skippedOrigin != nil
        var sieve = FeedSieve(
            options, own: interest.skippedOrigin ?? Origin(name: "", processID: 0), skippedConsumer: consumer.name)
        var walk = FeedWalk(after: consumer.state.position)
        var (count, last): (UInt64, UInt64) = (0, 0)
        for _ in 0..<readLimit where walk.position.sequence < newest {
            for part in try walk.read(scope, FeedWalk.Limits(changes: changesPerRead)) {
                guard last != part.sequence, try sieve.wanted(part, scope.state) != nil else { continue }
                count += 1
                last = part.sequence
            }
        }
        // One that was begun and counted is not passed yet.
        let rest = newest - walk.position.sequence - (walk.isInside && last == walk.position.sequence + 1 ? 1 : 0)
        return (count + rest, rest == 0 && !walk.isInside && (count == 0 || !interest.hasCondition))
    }
}
