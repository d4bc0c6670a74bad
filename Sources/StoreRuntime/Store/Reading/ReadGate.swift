import LMDB

/// Lets a limited number of reads run at once, in the order in which they ask. A read that waits can be cancelled.
///
/// - `state` is protected by its mutex. No continuation is resumed under it.
final class ReadGate: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    /// The state machine. A ticket stands for one read from its first call on.
    struct State<Waiter> {
        private(set) var free: Int
        private var waiting: [(ticket: UInt64, waiter: Waiter)] = []
        /// The tickets that were cancelled before they asked.
        private var cancelled: Set<UInt64> = []
        private var lastTicket: UInt64 = 0

        init(limit: Int) { free = limit }

        mutating func ticket() -> UInt64 {
            lastTicket += 1
            return lastTicket
        }

        /// Asks for a place.
        ///
        /// - Returns: whether the read has one, or false if it was cancelled; nil if it waits.
        mutating func enter(_ ticket: UInt64, _ waiter: Waiter) -> Bool? {
            if cancelled.remove(ticket) != nil { return false }
            guard free > 0 else {
                waiting.append((ticket, waiter))
                return nil
            }
            free -= 1
            return true
        }

        /// Gives a place back.
        ///
        /// - Returns: the read that has it now.
        mutating func leave() -> Waiter? {
            guard !waiting.isEmpty else {
                free += 1
                return nil
            }
            return waiting.removeFirst().waiter
        }

        /// Cancels a read.
        ///
        /// - Returns: the read, if it waits.
        mutating func cancel(_ ticket: UInt64) -> Waiter? {
            guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
                cancelled.insert(ticket)
                return nil
            }
            return waiting.remove(at: index).waiter
        }

        /// Forgets a read that has a place, or was cancelled.
        mutating func end(_ ticket: UInt64) { cancelled.remove(ticket) }
    }

    private let state: HandoverMutex<State<Waiter>>

    init(limit: Int) { state = HandoverMutex(State(limit: limit)) }

    /// Waits for a place.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it has one.
    func enter() async throws {
        let ticket = state.withLock { $0.ticket() }
        let hasEntered = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                if let answer = state.withLock({ $0.enter(ticket, waiter) }) { waiter.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.cancel(ticket) }?.resume(returning: false)
        }
        state.withLock { $0.end(ticket) }
        if !hasEntered { throw CancellationError() }
    }

    /// Gives the place back.
    func leave() { state.withLock { $0.leave() }?.resume(returning: true) }
}
