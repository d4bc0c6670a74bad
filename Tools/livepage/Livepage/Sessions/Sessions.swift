import Hummingbird
import ModelStore
import ModelStoreComponents
import Synchronization

/// The sessions of all tabs, and the state that they share.
///
/// - `sessions` is protected by its mutex.
final class Sessions: Sendable {
    private let app: Scope
    private let grace: Duration
    private let alarm = Alarm(AlarmState()) { state, action in state.apply(action) }
    private let sessions = Mutex<[String: Session]>([:])
    private let opened = Atomic(0)

    /// The most sessions at one time. Each request for the page opens one.
    private static let limit = 1_000

    /// - Parameters:
    ///   - app: the scope of the service.
    ///   - grace: the time that a session lasts without a stream of events.
    init(in app: Scope, grace: Duration) {
        self.app = app
        self.grace = grace
    }

    /// The number of sessions that are open.
    var count: Int { sessions.withLock { $0.count } }

    /// The number of sessions that were opened.
    var openedCount: Int { opened.load(ordering: .relaxed) }

    /// Opens a session for a new tab.
    ///
    /// - Throws: `HTTPError` if too many sessions are open; ``StoreError``.
    func open() async throws -> Session {
        guard count < Self.limit else {
            throw HTTPError(.serviceUnavailable, message: "\(Self.limit) pages are open; close one and try again")
        }
        let scope = try app.child("session \(opened.add(1, ordering: .relaxed).newValue)")
        do {
            let session = try await Session(in: scope, alarm: alarm, grace: grace)
            let id = session.id
            sessions.withLock { $0[id] = session }
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
    func find(_ id: String) -> Session? { sessions.withLock { $0[id] } }

    private func forget(_ id: String) {
        // The session is released after the mutex is unlocked.
        _ = sessions.withLock { $0.removeValue(forKey: id) }
    }
}
