import Observation
import StoreRuntime

/// Tracks the reads of an update, by Observation and by versions.
///
/// Observation cannot stop tracking on request: it keeps what an update has read until one of those values changes. So each
/// update also reads an end marker, and changing the marker ends the tracking.
final class NodeTracking {
    private let newestEnd = TrackingEnd()
    /// The number of the newest update.
    private(set) var number: UInt64 = 0
    /// The objects that must stay alive so that changes to the newest update's reads are reported. It includes later reads on
    /// behalf of that update.
    private(set) var kept: [ObjectIdentifier: AnyObject] = [:]

    /// Runs an update, and watches its reads from then on.
    ///
    /// - Parameter changed: called with the update's number, on any thread, when one of the reads changes.
    /// - Returns: whether one of the reads changed before it could be watched.
    func track(
        changed: @escaping @Sendable (UInt64) -> Void, body: () -> Void
    ) -> Bool {
        endWatching()
        // The old objects are released after the new update has read, so that an object that both have read stays alive.
        let old = kept
        kept = [:]
        return withExtendedLifetime(old) { follow(changed: changed, body: body) }
    }

    /// Runs a closure after the newest update, and watches its reads together with those of the update; as
    /// ``track(changed:body:)``.
    func follow(changed: @escaping @Sendable (UInt64) -> Void, body: () -> Void) -> Bool {
        let number = number
        let log = ReadLog()
        withObservationTracking {
            newestEnd.note()
            log.noting(body)
        } onChange: {
            changed(number)
        }
        kept.merge(log.kept) { old, _ in old }
        return log.isStale
    }

    /// Stops watching the reads of the newest update.
    func end() {
        endWatching()
        kept = [:]
    }

    private func endWatching() {
        number += 1
        // The marker's own change must not count as a change that this thread made.
        _ = ThreadChanges.haveCome { newestEnd.come() }
    }
}
