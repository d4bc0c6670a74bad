import Hummingbird
import ModelStore
import ModelStoreComponents
import Synchronization

/// The sessions of all tabs, and the state that they share.
///
/// - `state` is protected by its mutex.
final class Sessions: Sendable {
    private let app: Scope
    private let grace: Duration
    private let alarm = Alarm(AlarmState()) { state, action in state.apply(action) }
    private let state = Mutex(State())
    private let opened = Atomic(0)

    /// The most sessions at one time, of all clients and of one. Each request for the page opens one.
    static let limits = (all: 1_000, client: 100)

    private struct State {
        var sessions: [String: Session] = [:]
        /// The number of sessions of each client, with those that are being opened.
        var counts: [String: Int] = [:]

        mutating func leave(_ client: String) {
            let rest = (counts[client] ?? 1) - 1
            counts[client] = rest == 0 ? nil : rest
        }
    }

    /// - Parameters:
    ///   - app: the scope of the service.
    ///   - grace: the time that a session lasts without a stream of events.
    init(in app: Scope, grace: Duration) {
        self.app = app
        self.grace = grace
    }

    /// The number of sessions that are open.
    var count: Int { state.withLock { $0.sessions.count } }

    /// The number of sessions that were opened.
    var openedCount: Int { opened.load(ordering: .relaxed) }

    /// Opens a session for a new tab.
    ///
    /// - Parameter client: names the client, which can open only a part of all sessions.
    /// - Throws: `HTTPError` if too many sessions are open; ``StoreError``.
    func open(for client: String) async throws -> Session {
        try enter(client)
        let scope: Scope
        do {
            scope = try app.child("session \(opened.add(1, ordering: .relaxed).newValue)")
            // Runs when the session ends, however it ends.
            try scope.onClose { [weak self] in self?.state.withLock { $0.leave(client) } }
        } catch {
            state.withLock { $0.leave(client) }
            throw error
        }
        do {
            let session = try await Session(in: scope, alarm: alarm, grace: grace)
            let id = session.id
            state.withLock { $0.sessions[id] = session }
            do {
                try scope.onClose { [weak self] in self?.forget(id) }
            } catch {
                forget(id)
                throw error
            }
            session.touch()
            return session
        } catch {
            scope.close()
            throw error
        }
    }

    /// Returns the session with an id; nil if it has ended.
    func find(_ id: String) -> Session? { state.withLock { $0.sessions[id] } }

    private func enter(_ client: String) throws {
        try state.withLock { state in
            let counts = state.counts
            guard counts.values.reduce(0, +) < Self.limits.all else {
                throw HTTPError(
                    .serviceUnavailable, message: "\(Self.limits.all) pages are open; close one and try again")
            }
            guard counts[client, default: 0] < Self.limits.client else {
                throw HTTPError(
                    .tooManyRequests, message: "\(Self.limits.client) of your pages are open; close one and try again")
            }
            state.counts[client, default: 0] += 1
        }
    }

    private func forget(_ id: String) {
        // The session is released after the mutex is unlocked.
        _ = state.withLock { $0.sessions.removeValue(forKey: id) }
    }
}
