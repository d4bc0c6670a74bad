import Observation
import StoreRuntime

/// What an update has read, by Observation and by versions.
///
/// Observation cannot be told to forget: what it watches for an update that nothing has ended stays, so each one has an end.
struct NodeTracking {
    private let newestEnd = TrackingEnd()
    /// The number of the newest update.
    private(set) var number: UInt64 = 0

    /// Runs an update, and watches what it reads from then on.
    ///
    /// - Parameter changed: called, on any thread, when something of it changes, with the update's number.
    /// - Returns: whether something has changed already, before it could be watched.
    mutating func track(
        changed: @escaping @Sendable (UInt64) -> Void, body: () -> Void
    ) -> Bool {
        number += 1
        newestEnd.come()
        return follow(changed: changed, body: body)
    }

    /// Runs a closure after the newest update, and watches what that reads with what the update has read; as ``track(changed:body:)``.
    func follow(changed: @escaping @Sendable (UInt64) -> Void, body: () -> Void) -> Bool {
        let number = number
        let log = ReadLog()
        withObservationTracking {
            newestEnd.note()
            log.noting(body)
        } onChange: {
            changed(number)
        }
        return log.isStale
    }

    /// Ends the watching of the newest update.
    mutating func end() {
        number += 1
        newestEnd.come()
    }
}
