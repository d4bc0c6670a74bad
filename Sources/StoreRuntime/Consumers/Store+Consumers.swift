public import Foundation
import LMDB
public import StoreEngine

/// Information about a consumer, as the store has it.
public struct ConsumerInformation: Hashable, Sendable {
    /// Why a lag is an upper bound.
    public enum LagBound: Hashable, Sendable {
        /// Another process held the consumer last, and this process cannot read a condition of its filter. The count uses only
        /// types and fields. `store-cli` reads most conditions.
        case unknownCondition
        /// More than about 16 MiB or 16,000 changes follow the consumer's position. Change sets after these count as wanted.
        case tooFarBehind
        /// The filter names a type or a field that the store no longer has, or a value that does not match its field. Every
        /// change set counts.
        case outdatedFilter
        /// The store no longer retains change sets after the consumer's position, or cannot read them. Every change set counts.
        case missingChangeSets
    }

    /// The consumer's name.
    public let name: String
    /// The position up to which the consumer has seen the feed.
    public let position: Position
    /// How many change sets after ``position`` the consumer wants, by the filters and the skipped origin of its last holder.
    /// Change sets that it wrote itself do not count.
    public let lag: UInt64
    /// Why ``lag`` is an upper bound; nil if it is exact.
    public let lagBound: LagBound?
    /// Whether ``lag`` is exact.
    public var isLagExact: Bool { lagBound == nil }
    /// Whether the consumer is held now. In a replica, whether a process of this node holds it.
    public let isHeld: Bool
    /// Whether the store no longer retains change sets that the consumer has not seen.
    public let isExpired: Bool
    /// How many change sets the consumer has skipped because they failed.
    public let skippedCount: UInt64
    /// When the consumer was created.
    public let createdAt: Date
    /// When the consumer last moved.
    public let advancedAt: Date
    /// How far the consumer may hold back retention.
    public let lease: RetentionLease
}

extension Store {
    /// Takes a consumer, and creates it if there is none of this name. Waits while another holder has it, in another process or
    /// on another node of a replicated store.
    ///
    /// Also waits until an earlier ``FeedConsumer`` of this program goes away, and reports ``ConsumerEvent/waiting``. A task that
    /// keeps one and takes the same consumer again waits without an end.
    ///
    /// - Returns: the consumer, which is held until its last reference goes away.
    /// - Throws: ``StoreError``: `inUse` while this program runs the consumer with `consume`. `invalidValue` for an option
    ///   outside its range. `unknownType`, `unknownField` or `invalidValue` for a filter that does not match the store's record
    ///   types. `consumerExpired`; `accessDenied` when the wake file cannot be used; as `write`. `CancellationError`.
    public func holdConsumer(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions()
    ) async throws -> FeedConsumer {
        try await takeConsumer(name, options, isRun: false)
    }

    /// Takes a consumer, as ``holdConsumer(_:_:)`` does.
    ///
    /// - Parameter isRun: whether the caller is the run of the consumer in this program.
    func takeConsumer(_ name: String, _ options: ConsumerOptions, isRun: Bool) async throws -> FeedConsumer {
        try options.check()
        guard let wakeFile = core.notifier.wakeFile else {
            throw StoreError(
                .accessDenied, "\(path)/\(WakeFile.name), whose locks protect consumers, cannot be used",
                remedy: "give this process's user write access to it")
        }
        // Before the consumer is made: one that cannot run would hold back retention.
        try requireKnown(options.feed.filters)
        var hasWaited = false
        while true {
            try Task.checkCancellation()
            // At each attempt, because a run may have taken the consumer while this call waited for another holder.
            if !isRun { try core.requireNotRun(name) }
            let known = try await knownConsumer(name, options)
            if let hold = try await ConsumerHold(known.number, of: wakeFile, name, core.options.commitLog),
                let held = try await take(name, number: known.number, options)
            {
                if held.isExpired {
                    options.onEvent(.expired(position: held.position))
                    throw ConsumerState.expired(name)
                }
                core.heldFilters.withLock { $0[name] = (held.generation, options.feed.filters) }
                options.onEvent(.active(generation: held.generation, position: held.position))
                return FeedConsumer(name, self, held, options: options, hold: hold)
            }
            if !hasWaited { options.onEvent(.waiting) }
            hasWaited = true
            try await options.sleep(options.takeoverInterval)
        }
    }

    private func requireKnown(_ filters: [FeedFilter]) throws {
        let transaction = try beginRead()
        _ = try FeedFilters(filters, transaction._reading.catalog)
    }

    private func knownConsumer(_ name: String, _ options: ConsumerOptions) async throws -> ConsumerState {
        let known = try readConsumer(name)
        if let known { return known }
        return try await write { tx in
            // Chosen inside the write: otherwise retention might pass a position that was read before it.
            let start = try options.start.position(in: tx._reading)
            return try tx.makeConsumer(named: name, at: start, lease: options.lease)
        }
    }

    func readConsumer(_ name: String) throws -> ConsumerState? {
        let transaction = try beginRead()
        return try transaction._reading.consumer(named: name)
    }

    /// Begins a new generation, so that the previous holder can no longer move the consumer. Returns nil if the consumer was
    /// deleted meanwhile, also if it was created again.
    private func take(_ name: String, number: UInt32, _ options: ConsumerOptions) async throws -> ConsumerState? {
        let interest = ConsumerInterest(
            options.feed.filters, skippedOrigin: options.feed.skipsOwnOrigin ? core.ownOrigin : nil,
            includesMigrations: options.includesMigrations)
        return try await write { tx -> ConsumerState? in
            guard var consumer = try tx._reading.consumer(named: name), consumer.number == number else { return nil }
            // In a replica, only this node may lack the change sets.
            if consumer.isExpired { return consumer }
            consumer.generation += 1
            try tx.put(consumer, named: name)
            try tx.put(interest, ofConsumer: name)
            return consumer
        }
    }

    /// Returns the consumers that the store knows, by name.
    ///
    /// Reads the change sets that each of them has not seen, up to a limit, to count its ``ConsumerInformation/lag``.
    ///
    /// - Throws: ``StoreError``.
    public func consumers() throws -> [ConsumerInformation] { try consumers { _, _, _ in nil } }

    /// Returns the consumers as ``consumers()`` does, and also reads the conditions of the filters that the store keeps.
    package func consumers(
        readingConditions readCondition: ConsumerInterest.ConditionReader
    ) throws -> [ConsumerInformation] {
        let transaction = try beginRead()
        let scope = transaction._reading
        let newest = try scope.feedHead().sequence
        let wakeFile = core.notifier.wakeFile
        return try scope.consumers().map { consumer in
            let state = consumer.state
            let isHeld = wakeFile.map { (try? ExclusiveByte.isTaken(state.number, of: $0)) ?? false }
            let held = core.heldFilters.withLock { $0[consumer.name] }
            let filters = held?.generation == state.generation ? held?.filters : nil
            let lag = ConsumerLag(of: consumer, scope, newest: newest, filters, readCondition)
            return ConsumerInformation(
                name: consumer.name, position: state.position, lag: lag.count, lagBound: lag.bound,
                isHeld: isHeld ?? false,
                isExpired: state.isExpired, skippedCount: state.skippedCount, createdAt: state.created,
                advancedAt: state.moved, lease: state.lease)
        }
    }

    /// Creates a consumer before any program has started it. From then on, the feed retains the change sets after its position,
    /// as far as the lease allows.
    ///
    /// ```swift
    /// try await store.createConsumer("mailer", at: .newest)       // mails nothing that is in the store today
    /// ```
    ///
    /// A consumer need not be created: its first start creates it at ``ConsumerOptions/start``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - start: where the consumer begins.
    ///   - lease: how far the consumer may hold back retention.
    /// - Returns: the consumer's position.
    /// - Throws: ``StoreError``: `consumerExists`; `invalidValue` for a name or a lease outside its range; `positionCompacted`
    ///   and others when no consumer can begin there; as `write`.
    @discardableResult
    public func createConsumer(
        _ name: String, at start: FeedStart, lease: RetentionLease = RetentionLease()
    ) async throws -> Position {
        var options = ConsumerOptions()
        options.lease = lease
        try options.check()
        return try await write { tx in
            guard try tx._reading.consumer(named: name) == nil else {
                throw StoreError(
                    .consumerExists, "there is a consumer \"\(RecordText.shortened(name))\" already",
                    remedy: "reset it to move it, or give the new consumer another name")
            }
            return try tx.makeConsumer(named: name, at: start.position(in: tx._reading), lease: lease).position
        }
    }

    /// Moves a consumer. Its current holder loses it, with an error at its next acknowledgement.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - start: where the consumer continues.
    /// - Throws: ``StoreError``: `consumerNotFound`; `positionCompacted` and others when the consumer cannot continue there; as
    ///   `write`.
    public func resetConsumer(_ name: String, to start: FeedStart) async throws {
        try await write { tx in
            let position = try start.position(in: tx._reading)
            guard var consumer = try tx._reading.consumer(named: name) else {
                throw tx._reading.consumerNotFound(name)
            }
            consumer.position = position
            consumer.generation += 1
            consumer.isExpired = false
            consumer.moved = tx.now
            try tx.put(consumer, named: name)
        }
    }

    /// Deletes a consumer. Its current holder loses it, with an error at its next acknowledgement.
    ///
    /// - Throws: ``StoreError``: `consumerNotFound`; as `write`.
    public func deleteConsumer(_ name: String) async throws {
        try await write { tx in
            guard try tx.removeConsumer(named: name) else {
                throw tx._reading.consumerNotFound(name)
            }
        }
    }
}
