import Observation
import StoreRuntime

/// What an update has read, by Observation and by versions.
///
/// Observation cannot be told to forget: what it watches for an update that nothing has ended stays, so each one has an end.
final class NodeTracking {
    private let newestEnd = TrackingEnd()
    /// The number of the newest update.
    private(set) var number: UInt64 = 0
    /// What has to live for changes of what the newest update has read, or what was read for it later, to be told.
    private(set) var kept: [ObjectIdentifier: AnyObject] = [:]

    /// Runs an update, and watches what it reads from then on.
    ///
    /// - Parameter changed: called, on any thread, when something of it changes, with the update's number.
    /// - Returns: whether something has changed already, before it could be watched.
    func track(
        changed: @escaping @Sendable (UInt64) -> Void, body: () -> Void
    ) -> Bool {
        endWatching()
        // Let go when the new update has read: what both read stays.
        let old = kept
        kept = [:]
        return withExtendedLifetime(old) { follow(changed: changed, body: body) }
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
        kept.merge(log.kept) { old, _ in old }
        return log.isStale
    }

    /// Ends the watching of the newest update.
    func end() {
        endWatching()
        kept = [:]
    }

    private func endWatching() {
        number += 1
        // What that marks is no change.
        _ = ThreadChanges.haveCome { newestEnd.come() }
    }
}
