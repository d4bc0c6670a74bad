import LMDB
import StoreEngine
import StoreRuntime

/// The events that a recorder has received and not yet written, in the order in which they happened.
///
/// - `state` is protected by its mutex.
final class RecorderLog: RuntimeWitness {
    /// An event.
    enum Event: Sendable {
        /// A position was published. Its change sets come next in the trace.
        case stepped(UInt64)
        case subscribed(Int, WitnessedInterest)
        case delivered(Int, LiveStep)
        case unsubscribed(Int)
        case frame(TraceFrame)
    }

    private struct State {
        var events: [Event] = []
        /// The newest noted position.
        var stepped: UInt64?
        var isEnded = false
        var waiter: CheckedContinuation<Void, Never>?
        var failure: StoreError?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    /// The maximum number of events that may wait.
    static let maximumCount = 1_000_000

    private let includesObservers: Bool
    private let maximumCount: Int
    private let state = HandoverMutex(State())
    /// Returns the newest change set while the store makes no steps.
    private let unobserved: @Sendable () -> UInt64?

    /// - Parameters:
    ///   - maximumCount: how many events may wait. Tests lower it.
    ///   - unobserved: returns the newest change set while the store makes no steps.
    init(
        includesObservers: Bool, maximumCount: Int = RecorderLog.maximumCount,
        unobserved: @escaping @Sendable () -> UInt64?
    ) {
        self.includesObservers = includesObservers
        self.maximumCount = maximumCount
        self.unobserved = unobserved
    }

    /// The error that prevented noting events.
    var failure: StoreError? { state.withLock { $0.failure } }

    func add(_ event: Event) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded, state.failure == nil else { return nil }
            guard state.events.count < maximumCount else {
                state.failure = StoreError(
                    .tooLarge,
                    "\(maximumCount) events wait to be recorded: the trace cannot be written fast enough",
                    remedy: "record to a faster disk, or without observers")
                return nil
            }
            if case .stepped(let sequence) = event {
                // A thread that read this position before the first step may report it after those steps were reported.
                if let last = state.stepped, sequence <= last { return nil }
                state.stepped = sequence
                // Without observers, intermediate positions are not needed.
                if !includesObservers, case .stepped = state.events.last { state.events.removeLast() }
            }
            state.events.append(event)
            return state.takeWaiter()
        }
        waiter?.resume()
    }

    /// Stops accepting events; returns false if it had already stopped.
    func end() -> Bool {
        let (isFirst, waiter) = state.withLock { state in
            defer { state.isEnded = true }
            return (!state.isEnded, state.takeWaiter())
        }
        waiter?.resume()
        return isFirst
    }

    /// Waits for events. Returns those since the last call, and whether they are the last ones.
    func next() async -> (events: [Event], isEnd: Bool) {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.events.isEmpty, !state.isEnded else { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.isEnded)
        }
    }

    /// Notes another frame, after the commits before it.
    func add(frame: TraceFrame) {
        // With observers, steps are noted as they are made.
        if let newest = unobserved() { add(.stepped(newest)) }
        add(.frame(frame))
    }

    func stepped(to sequence: UInt64) { add(.stepped(sequence)) }

    func subscribed(_ number: Int, to interest: WitnessedInterest) {
        if includesObservers { add(.subscribed(number, interest)) }
    }

    func delivered(_ number: Int, _ step: LiveStep) {
        if includesObservers { add(.delivered(number, step)) }
    }

    func unsubscribed(_ number: Int) {
        if includesObservers { add(.unsubscribed(number)) }
    }

    func scope(_ path: String, isOpen: Bool) {
        if includesObservers { add(frame: isOpen ? .opened(path) : .closed(path)) }
    }
}
