public import StoreEngine

/// The results of several live queries, all at one position.
///
/// ```swift
/// for try await update in store.updates(of: open, trucks) {
///     let (orders, trucks) = update.results
///     print(orders.count, update.results.1.first?.km ?? 0, update.changes.0.inserts.count)
/// }
/// ```
///
/// The parameters are whole tuples, and not the record types: the compiler cannot look up members such as `first?.km` in a tuple
/// that it makes from a pack at the use. ``JoinedUpdate`` names the type by its record types.
public struct JoinedElement<Results: Sendable, Changes: Sendable>: Sendable {
    /// The results, as a tuple of ``LiveRecords`` in the order of the requests.
    public let results: Results
    /// How each result differs from the one delivered before, as a tuple of ``LiveChanges``.
    public let changes: Changes
    /// The position of the results.
    public let position: Position
}

/// The results of several live queries for these record types, all at one position.
public typealias JoinedUpdate<each R: Record> = JoinedElement<
    (repeat LiveRecords<each R>), (repeat LiveChanges<each R>)
>

/// An asynchronous sequence of the results of several live queries: the current results, and then all of them again after each
/// step that changes one. Each element is at one position. The sequence throws and ends as ``LiveUpdates`` does.
public struct LiveJoin<Element: Sendable>: AsyncSequence, Sendable {
    let makePull: @Sendable () throws -> LivePull<Element>

    /// Returns an iterator with its own subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(makePull: makePull) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makePull: @Sendable () throws -> LivePull<Element>
        private var pull: LivePull<Element>?
        private var end = CancelledEnd()

        init(makePull: @escaping @Sendable () throws -> LivePull<Element>) { self.makePull = makePull }

        /// Waits for the next element, and returns it; nil when the task is cancelled.
        public mutating func next() async throws -> Element? {
            if end.hasCome { return nil }
            if let pull { return try await pull.next() }
            let new = try makePull()
            pull = new
            return try await new.next()
        }
    }
}

/// Produces the elements of a join. Closures hide the packs of types, because the type of a sequence cannot store them. It
/// belongs to one task at a time.
final class LivePull<Element: Sendable> {
    private let signal: Signal
    private let timeline: Timeline
    private let witnesses: WitnessStand
    private let sources: LivePullSources<Element>
    private var isFirst = true
    /// Whether the element at the end could not be decoded. It is not tried again.
    private var isOver = false

    init(_ signal: Signal, _ timeline: Timeline, _ witnesses: WitnessStand, _ sources: LivePullSources<Element>) {
        self.signal = signal
        self.timeline = timeline
        self.witnesses = witnesses
        self.sources = sources
    }

    /// Waits for the next element, and returns it; nil when the task is cancelled.
    func next() async throws -> Element? {
        while true {
            let wake = isFirst ? Signal.Wake.raised : await signal.wait()
            isFirst = false
            if wake == .cancelled { return nil }
            // Read before the results, because a store that closes publishes their last states first.
            let isAtEnd = sources.failure() != nil
            do {
                if !isOver, let element = try await taken() { return element }
            } catch {
                isOver = isAtEnd
                throw error
            }
            if wake == .ended || sources.failure() != nil { throw sources.failure() ?? WriteQueue.closed }
        }
    }

    private func taken() async throws -> Element? {
        await sources.settle()
        while true {
            // No position is published between reading the results and reporting them to the witness.
            if let steps = witnesses.withState({ sources.take(timeline.publishedSequence, &$0) }) {
                return try sources.element(steps)
            }
            // A step was published after some results were read and before the others were. Retry: the next attempt usually
            // succeeds.
            if sources.failure() != nil || Task.isCancelled { return nil }
            await Task.yield()
        }
    }
}

/// The closures that produce the elements of a join.
struct LivePullSources<Element> {
    /// Waits until the first state of each result is published.
    let settle: () async -> Void
    /// Returns the step of each result to its state at a position, and reports the steps to the witness. Returns nil if one of
    /// these states is not known any more.
    let take: (UInt64, inout WitnessStand.State) -> [LiveStep]?
    /// Returns the element of these steps; nil if no step has a difference.
    let element: ([LiveStep]) throws -> Element?
    /// Returns why no more elements come; nil while they do.
    let failure: () -> StoreError?
}

extension Store {
    /// Delivers the results of several requests, and then all of them again after each step that changes one. Each element is at
    /// one position.
    ///
    /// ```swift
    /// for try await update in store.updates(of: open.watching(\.status), trucks) {
    ///     let (orders, trucks) = update.results
    ///     print(orders.count, trucks.first?.km ?? 0)
    /// }
    /// ```
    ///
    /// - Parameter requests: the requests to follow. ``FetchRequest/watching(_:)`` limits the changes of one of them.
    public func updates<each R: Record>(
        of requests: repeat FetchRequest<each R>
    ) -> LiveJoin<JoinedUpdate<repeat each R>> {
        LiveJoin { [self] in
            let signal = Signal()
            let watches = (repeat try LiveWatch(try liveQuery(each requests), signal))
            let sources = LivePullSources {
                for watch in repeat each watches { await watch.settle() }
            } take: { sequence, state in
                Store.steps(to: sequence, &state, repeat each watches)
            } element: { steps in
                try Store.joined(steps, repeat each watches)
            } failure: {
                for watch in repeat each watches {
                    if let failure = watch.failure { return failure }
                }
                return nil
            }
            return LivePull(signal, core.dispatcher.timeline, core.witnesses, sources)
        }
    }

    private static func steps<each R: Record>(
        to sequence: UInt64, _ state: inout WitnessStand.State, _ watches: repeat LiveWatch<each R>
    ) -> [LiveStep]? {
        var versions: [LiveVersion] = []
        for watch in repeat each watches {
            guard let one = watch.version(at: sequence) else { return nil }
            versions.append(one)
        }
        var rest = versions[...]
        var steps: [LiveStep] = []
        for watch in repeat each watches { steps.append(watch.given(rest.removeFirst(), &state)) }
        return steps
    }

    /// Returns the typed form of one step of each result; nil if no step has a difference.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`. All subscriptions start over then.
    private static func joined<each R: Record>(
        _ steps: [LiveStep], _ watches: repeat LiveWatch<each R>
    ) throws -> JoinedUpdate<repeat each R>? {
        guard steps.contains(where: \.isDifferent),
            let newest = steps.map(\.new.position).max(by: { $0.sequence < $1.sequence })
        else { return nil }
        var rest = steps[...]
        let updates: (repeat LiveUpdate<each R>)
        do {
            updates = (repeat try (each watches).update(rest.removeFirst()))
        } catch {
            for watch in repeat each watches { watch.forget() }
            throw error
        }
        return JoinedElement(
            results: (repeat (each updates).results), changes: (repeat (each updates).changes), position: newest)
    }
}
