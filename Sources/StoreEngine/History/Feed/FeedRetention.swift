package import Foundation
package import LMDB

/// Removes change sets that are no longer retained, in small steps.
///
/// The feed may exceed its limit by a sixteenth before a separate step removes the excess. Only beyond twice that excess does a
/// commit also remove change sets. LMDB reuses the freed pages, so the file keeps its size.
package struct FeedRetention {
    /// The maximum number of fragments that one commit removes, in addition to twice the number that it added.
    private static let fragmentsPerCommit = 64
    /// The maximum number of fragments that a separate step removes.
    private static let fragmentsPerStep = 2_048
    /// The maximum number of change sets whose age a step examines.
    private static let agesPerStep = 2_048
    /// About the maximum number of changes that a step adds to the trail.
    private static let changesPerStep = 4_096

    private let limits: StoreLimits
    private let databases: StoreDatabases
    private let store: UUID
    private let state: StoreState

    package init(_ state: StoreState) {
        self.state = state
        limits = state.limits
        databases = state.databases
        store = state.identity
    }

    /// Returns the number of change sets by which the feed may exceed the limit before a step removes them.
    private static func slack(_ limits: StoreLimits) -> UInt64 { UInt64(max(limits.retainedChangeSets, 1) / 16) }

    /// The result of a step.
    package struct Outcome: Sendable {
        /// Whether there is more to remove.
        package var hasMore = false
        /// Whether there are writes to commit.
        package var didWrite = false
        /// Whether change sets were removed.
        package var didRemove = false
        /// Whether a consumer has expired.
        package var didExpire = false
        /// Set if consumers kept the step from removing change sets beyond the limits: before the feed reaches this sequence
        /// number, another attempt is useless.
        package var heldUntil: UInt64 = 0
    }

    /// Returns whether a separate step is due, by the number of change sets.
    package static func isDue(_ head: FeedHead, _ state: StoreState) -> Bool {
        let (retained, slack) = (UInt64(max(state.limits.retainedChangeSets, 1)), slack(state.limits))
        let count = head.retainedCount
        // After a commit has cut the feed, a step must still add the cut change sets to the trail.
        return count > retained + slack || state.databases.trail != nil && count >= retained + 2 * slack
    }

    /// Removes some change sets as part of a commit, if the separate steps do not keep up.
    ///
    /// - Parameter heldUntil: the sequence number up to which consumers hold back removal, as the last step found.
    package func trimInCommit(
        _ head: inout FeedHead, added: Int, now: Date, heldUntil: UInt64, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        let limit = UInt64(max(limits.retainedChangeSets, 1)) + 2 * FeedRetention.slack(limits)
        guard head.retainedCount > limit, head.sequence >= heldUntil else { return }
        let wanted = head.sequence - limit + 1
        head.oldest = try allowed(wanted, head, now, &raw).oldest
        let count = FeedRetention.fragmentsPerCommit + 2 * added
        _ = try removeFragments(before: try removable(head, raw), atMost: count, &raw)
    }

    /// Removes the change sets that the limits do not retain. If the store has a trail, the step first adds them to it.
    ///
    /// - Parameters:
    ///   - byteCount: the number of bytes that the feed shall have, if it is less than its limit.
    ///   - walk: the point where the previous step stopped adding to the trail. Keep it for the next step if this one commits.
    package func step(
        _ head: inout FeedHead, now: Date, feedByteCount byteCount: Int? = nil, _ walk: inout FeedWalk?,
        _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Outcome {
        var outcome = Outcome()
        let retained = UInt64(max(limits.retainedChangeSets, 1))
        var wanted = head.oldest
        if head.sequence >= retained { wanted = max(wanted, head.sequence - retained + 1) }
        wanted = max(wanted, try oldestByBytes(byteCount, head, raw), try oldestByAge(head, now, raw))
        let wasOldest = head.oldest
        (head.oldest, outcome.didExpire) = try allowed(wanted, head, now, &raw)
        outcome.didWrite = outcome.didExpire
        if head.oldest < wanted { outcome.heldUntil = head.sequence + max(FeedRetention.slack(limits), 1) }
        if databases.trail != nil {
            // The trail may write even if there is nothing to add: it switches off a damaged trail.
            outcome.didWrite = true
            if var trail = try TrailWriter(state, &raw) {
                outcome.hasMore = try trail.takeUp(
                    before: head.oldest, atMost: FeedRetention.changesPerStep, &walk, &raw)
            }
        }
        let removed = try removeFragments(
            before: try removable(head, raw), atMost: FeedRetention.fragmentsPerStep, &raw)
        outcome.didRemove = removed > 0
        if removed > 0 || head.oldest != wasOldest { outcome.didWrite = true }
        if removed == FeedRetention.fragmentsPerStep || head.oldest - wasOldest >= UInt64(FeedRetention.agesPerStep) {
            outcome.hasMore = true
        }
        return outcome
    }

    /// Returns the first change set that must stay. Change sets that are no longer retained stay until the trail covers them.
    private func removable(_ head: FeedHead, _ raw: borrowing LMDBWriteTransaction) throws(StoreError) -> UInt64 {
        guard let database = databases.trail else { return head.oldest }
        do {
            guard let trail = try TrailReader.head(in: database, raw.snapshot) else { return head.oldest }
            return min(head.oldest, trail.noted + 1)
        } catch {
            guard error.code == .damaged else { throw error }
            // The next step switches off the damaged trail.
            return 0
        }
    }

    /// Returns the number of bytes of the file that the feed takes.
    package static func byteCount(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) -> Int {
        try mapLMDB { () throws(LMDBError) in try snapshot.statistics(of: databases.feed).byteCount }
    }

    // An estimate that treats all change sets as equally large. It counts all stored change sets, whether retained or waiting for
    // removal, because the bytes belong to all of them.
    private func oldestByBytes(
        _ wanted: Int?, _ head: FeedHead, _ raw: borrowing LMDBWriteTransaction
    ) throws(StoreError) -> UInt64 {
        let limits = [wanted, limits.retainedFeedByteCount].compactMap { $0 }
        guard let limit = limits.min(), head.sequence >= head.oldest else { return head.oldest }
        let bytes = try FeedRetention.byteCount(databases, raw.snapshot)
        guard bytes > limit else { return head.oldest }
        let first = try mapLMDB { () throws(LMDBError) in try firstStored(raw) } ?? head.oldest
        let count = head.sequence - min(first, head.oldest) + 1
        return min(head.sequence, first + UInt64(Double(count) * Double(bytes - limit) / Double(bytes)) + 1)
    }

    private func oldestByAge(
        _ head: FeedHead, _ now: Date, _ raw: borrowing LMDBWriteTransaction
    ) throws(StoreError) -> UInt64 {
        guard let age = limits.retainedAge else { return head.oldest }
        var oldest = head.oldest
        let end = min(head.sequence, head.oldest + UInt64(FeedRetention.agesPerStep))
        let isOld = { (time: Date) in time.addingTimeInterval(age / .seconds(1)) < now }
        while oldest < end, let (sequence, time) = try firstTime(oldest..<end, raw) {
            if isOld(time) {
                oldest = sequence + 1
            } else if let later = try lookAhead(from: sequence, head, raw, isOld) {
                oldest = later + 1
            } else {
                break
            }
        }
        return oldest
    }

    /// Returns a change set after `sequence` that is past the age limit, although the one at `sequence` is not. The one at
    /// `sequence` was then written while a clock was fast, and also counts as old. Otherwise it would hold back all change sets
    /// after it. The search examines change sets at doubling distances.
    private func lookAhead(
        from sequence: UInt64, _ head: FeedHead, _ raw: borrowing LMDBWriteTransaction, _ isOld: (Date) -> Bool
    ) throws(StoreError) -> UInt64? {
        var distance: UInt64 = 1
        while sequence + distance < head.sequence {
            let later = sequence + distance
            if let found = try firstTime(later..<later + 1, raw), isOld(found.time) { return later }
            distance *= 2
        }
        return nil
    }

    /// Returns how far the feed may be cut without removing change sets that a consumer's lease keeps. A consumer whose lease has
    /// ended expires.
    ///
    /// - Returns: the first change set that stays, and whether a consumer has expired.
    private func allowed(
        _ wanted: UInt64, _ head: FeedHead, _ now: Date, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> (oldest: UInt64, didExpire: Bool) {
        guard wanted > head.oldest else { return (head.oldest, false) }
        var (allowed, didExpire) = (wanted, false)
        for var consumer in try consumers(raw) where consumer.state.position.sequence + 1 < wanted {
            if consumer.state.isExpired { continue }
            if try keeps(consumer.state, head, now, raw) {
                allowed = min(allowed, max(consumer.state.position.sequence + 1, head.oldest))
            } else {
                consumer.state.isExpired = true
                try put(consumer, &raw)
                didExpire = true
            }
        }
        return (allowed, didExpire)
    }

    private func keeps(
        _ consumer: ConsumerState, _ head: FeedHead, _ now: Date, _ raw: borrowing LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        let lease = consumer.lease
        // The feed cannot keep anything for a consumer that has already missed change sets.
        guard consumer.position.sequence + 1 >= head.oldest else { return false }
        guard lease.holds, head.sequence - consumer.position.sequence <= UInt64(lease.changeSets) else { return false }
        let next = max(consumer.position.sequence + 1, head.oldest)
        let first = try firstTime(next..<head.sequence + 1, raw)
        if let first, first.time.addingTimeInterval(lease.age / .seconds(1)) < now { return false }
        return try FeedRetention.byteCount(databases, raw.snapshot) <= lease.byteCount
    }

    private func consumers(_ raw: borrowing LMDBWriteTransaction) throws(StoreError) -> [NamedConsumer] {
        try ConsumerStorage.all(databases, store: store, raw.snapshot)
    }

    private func put(_ consumer: NamedConsumer, _ raw: inout LMDBWriteTransaction) throws(StoreError) {
        try mapLMDB { () throws(LMDBError) in try ConsumerStorage.put(consumer, databases, &raw) }
    }

    /// Returns the first readable change set in a range, and its time. A damaged change set counts as old as the next one:
    /// readers report the damage, and a writer must not fail because of it.
    private func firstTime(
        _ sequences: Range<UInt64>, _ raw: borrowing LMDBWriteTransaction
    ) throws(StoreError) -> (sequence: UInt64, time: Date)? {
        for sequence in sequences {
            do {
                return (sequence, try FeedReader.header(sequence, in: databases.feed, raw.snapshot).time)
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return nil
    }

    private func removeFragments(
        before oldest: UInt64, atMost limit: Int, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Int {
        var removed = 0
        do {
            while removed < limit, let key = try firstKey(before: oldest, raw) {
                unsafe try raw.delete(databases.feed, key: key.span.bytes)
                removed += 1
            }
        } catch {
            throw StoreError(error)
        }
        return removed
    }

    private func firstKey(
        before oldest: UInt64, _ raw: borrowing LMDBWriteTransaction
    ) throws(LMDBError) -> [UInt8]? {
        var cursor = try raw.snapshot.openCursor(databases.feed)
        guard try cursor.first(), let sequence = Self.sequence(of: cursor.key), sequence < oldest else { return nil }
        return cursor.key.array()
    }

    /// Returns the first stored change set, whether it is retained or not.
    private func firstStored(_ raw: borrowing LMDBWriteTransaction) throws(LMDBError) -> UInt64? {
        var cursor = try raw.snapshot.openCursor(databases.feed)
        return try cursor.first() ? Self.sequence(of: cursor.key) : nil
    }

    private static func sequence(of key: RawSpan) -> UInt64? {
        try? key.loadInteger(at: 0, as: UInt64.self).byteSwapped
    }
}
