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

/// The results of several live queries, and then whenever one of them changes: an asynchronous sequence, each of whose elements
/// is of one position. See ``LiveUpdates``.
public struct LiveJoin<Element: Sendable>: AsyncSequence, Sendable {
    let makePull: @Sendable () throws -> LivePull<Element>

    /// A subscription of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(makePull: makePull) }

    /// Waits for updates.
    public struct Iterator: AsyncIteratorProtocol {
        let makePull: @Sendable () throws -> LivePull<Element>
        private var pull: LivePull<Element>?

        init(makePull: @escaping @Sendable () throws -> LivePull<Element>) { self.makePull = makePull }

        /// The next element; nil when the task is cancelled.
        public mutating func next() async throws -> Element? {
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
    private let take: (UInt64) throws -> Taken
    private let failure: () -> StoreError?
    private var isFirst = true

    /// What there is at a position.
    enum Taken {
        case element(Element)
        /// Nothing is different from the element before.
        case nothing
        /// A result's state at the position is not known any more, or not yet.
        case unknown
    }

    /// - Parameters:
    ///   - take: gives the element at a position.
    init(
        _ signal: Signal, _ timeline: Timeline, take: @escaping (UInt64) throws -> Taken,
        failure: @escaping () -> StoreError?
    ) {
        self.signal = signal
        self.timeline = timeline
        self.take = take
        self.failure = failure
    }

    /// The next element; nil when the task is cancelled.
    func next() async throws -> Element? {
        if Task.isCancelled { return nil }
        while true {
            let wake = isFirst ? Signal.Wake.raised : await signal.wait()
            isFirst = false
            if wake == .cancelled { return nil }
            if let element = try await taken() { return element }
            if wake == .ended || failure() != nil { throw failure() ?? WriteQueue.closed }
        }
    }

    private func taken() async throws -> Element? {
        while true {
            switch try take(timeline.visibleSequence) {
            case .element(let element): return element
            case .nothing: return nil
            // The next step is published between looking at one result and at another, or a result is younger than what is
            // shown, which lasts for a moment.
            case .unknown:
                if failure() != nil || Task.isCancelled { return nil }
                await Task.yield()
            }
        }
    }
}

extension Store {
    /// The results of several requests, and then whenever one of them changes; each element is of one position.
    public func updates<each R: Record>(
        of requests: repeat FetchRequest<each R>
    ) -> LiveJoin<JoinedUpdate<repeat each R>> {
        LiveJoin { [self] in
            let signal = Signal()
            let watches = (repeat try LiveWatch(try liveQuery(each requests), signal))
            return LivePull(signal, core.stepper.timeline) { sequence in
                try Store.join(sequence, repeat each watches)
            } failure: {
                for watch in repeat each watches {
                    if let failure = watch.failure { return failure }
                }
                return nil
            }
        }
    }

    private static func join<each R: Record>(
        _ sequence: UInt64, _ watches: repeat LiveWatch<each R>
    ) throws -> LivePull<JoinedUpdate<repeat each R>>.Taken {
        var shown: [LiveShown] = []
        for watch in repeat each watches {
            guard let one = watch.shown(at: sequence) else { return .unknown }
            shown.append(one)
        }
        var rest = shown[...]
        var isDifferent = false
        let updates = (repeat try (each watches).step(to: rest.removeFirst(), &isDifferent))
        guard isDifferent, let newest = shown.map(\.position).max(by: { $0.sequence < $1.sequence }) else {
            return .nothing
        }
        return .element(
            JoinedUpdate(
                results: (repeat (each updates).results), changes: (repeat (each updates).changes), position: newest))
    }
}
