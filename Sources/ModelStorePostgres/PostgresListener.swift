#if Postgres
import Glibc
import LMDB
import Synchronization

/// Waits for the notifications of appends, on a thread and a connection of its own. It connects again when the connection is
/// lost.
final class PostgresListener: Sendable {
    private let info: String
    private let channel: String
    private let onWake: @Sendable () -> Void
    private let isStopping = Atomic(false)

    /// The longest time until a stop takes effect, in milliseconds.
    private static let turn: Int32 = 200

    init(_ info: String, channel: String, _ onWake: @escaping @Sendable () -> Void) {
        self.info = info
        self.channel = channel
        self.onWake = onWake
    }

    /// Starts the thread. If there is none, appends of other nodes are found by the follower's own look.
    func start() { try? SystemThread.start("store-postgres", for: nil) { self.listen() } }

    func stop() { isStopping.store(true, ordering: .relaxed) }

    private var isStopped: Bool { isStopping.load(ordering: .relaxed) }

    private func listen() {
        while !isStopped {
            if let connection = try? PostgresConnection(info), (try? connection.run("listen \(channel)")) != nil {
                // Appends before the connection listened gave no notification.
                onWake()
                while !isStopped, let count = connection.notifications(within: Self.turn) { if count > 0 { onWake() } }
            }
            for _ in 0..<5 where !isStopped { usleep(UInt32(Self.turn) * 1_000) }
        }
    }
}
#endif
