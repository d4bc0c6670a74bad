public import StoreEngine

/// The results of several live queries, all at one position.
public struct JoinedUpdate<each R: Record>: Sendable {
    /// The results, in the order of the requests.
    public let results: (repeat LiveRecords<each R>)
    /// How each differs from those delivered before.
    public let changes: (repeat LiveChanges<each R>)
    /// The position.
    public let position: Position
}

extension JoinedUpdate {
    /// The typed form of a step of each result; nil where none leads anywhere.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`; all begin anew then.
    fileprivate init?(_ steps: [LiveStep], _ watches: repeat LiveWatch<each R>) throws {
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
        self.init(
            results: (repeat (each updates).results), changes: (repeat (each updates).changes), position: newest)
    }
}

/// The results of several live queries, and then whenever one of them changes: an asynchronous sequence, each of whose elements
/// is of one position. It throws and ends as ``LiveUpdates``.
public struct LiveJoin<Element: Sendable>: AsyncSequence, Sendable {
    let makePull: @Sendable () throws -> LivePull<Element>

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(makePull: makePull) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makePull: @Sendable () throws -> LivePull<Element>
        private var pull: LivePull<Element>?
        private var end = CancelledEnd()

        init(makePull: @escaping @Sendable () throws -> LivePull<Element>) { self.makePull = makePull }

        /// The next element; nil when the task is cancelled.
        public mutating func next() async throws -> Element? {
            if end.hasCome { return nil }
            if let pull { return try await pull.next() }
            let new = try makePull()
            pull = new
            return try await new.next()
        }
    }
}

/// Gives the elements of a join: what stores packs of types is erased by closures, as a sequence's type cannot hold them.
/// It belongs to one task at a time.
final class LivePull<Element: Sendable> {
    private let signal: Signal
    private let timeline: Timeline
    private let witnesses: WitnessStand
    private let sources: LivePullSources<Element>
    private var isFirst = true

    init(_ signal: Signal, _ timeline: Timeline, _ witnesses: WitnessStand, _ sources: LivePullSources<Element>) {
        self.signal = signal
        self.timeline = timeline
        self.witnesses = witnesses
        self.sources = sources
    }

    /// The next element; nil when the task is cancelled.
    func next() async throws -> Element? {
        while true {
            let wake = isFirst ? Signal.Wake.raised : await signal.wait()
            isFirst = false
            if wake == .cancelled { return nil }
            if let element = try await taken() { return element }
            if wake == .ended || sources.failure() != nil { throw sources.failure() ?? WriteQueue.closed }
        }
    }

    private func taken() async throws -> Element? {
        await sources.settle()
        while true {
            // With nothing else being shown between the look at the results and what the witness is told.
            if let steps = witnesses.withState({ sources.take(timeline.visibleSequence, &$0) }) {
                return try sources.element(steps)
            }
            // The next step was published between looking at one result and at another, which lasts for a moment.
            if sources.failure() != nil || Task.isCancelled { return nil }
            await Task.yield()
        }
    }
}

/// What a join's elements are made of.
struct LivePullSources<Element> {
    /// Waits until the first states of the results are shown.
    let settle: () async -> Void
    /// A step of each result to its state at a position, of which the witness is told; nil where one of these is not known any
    /// more.
    let take: (UInt64, inout WitnessStand.State) -> [LiveStep]?
    /// The element of such steps; nil where none leads anywhere.
    let element: ([LiveStep]) throws -> Element?
    /// Why there are no elements any more; nil while there are.
    let failure: () -> StoreError?
}

extension Store {
    /// The results of several requests, and then whenever one of them changes; each element is of one position.
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
                try JoinedUpdate<repeat each R>(steps, repeat each watches)
            } failure: {
                for watch in repeat each watches {
                    if let failure = watch.failure { return failure }
                }
                return nil
            }
            return LivePull(signal, core.stepper.timeline, core.witnesses, sources)
        }
    }

    private static func steps<each R: Record>(
        to sequence: UInt64, _ state: inout WitnessStand.State, _ watches: repeat LiveWatch<each R>
    ) -> [LiveStep]? {
        var shown: [LiveShown] = []
        for watch in repeat each watches {
            guard let one = watch.shown(at: sequence) else { return nil }
            shown.append(one)
        }
        var rest = shown[...]
        var steps: [LiveStep] = []
        for watch in repeat each watches { steps.append(watch.given(rest.removeFirst(), &state)) }
        return steps
    }
}
