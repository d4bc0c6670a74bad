import Observation

/// Ends the tracking of a closure, for which Observation has no call. The closure reads this object too, and a change of the
/// object ends the tracking.
package final class TrackingEnd: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// Lets the next ``come()`` end the tracking of the calling closure.
    package func note() { registrar.access(self, keyPath: \.hasCome) }

    /// Ends the tracking of the closures that called ``note()``.
    package func come() {
        registrar.willSet(self, keyPath: \.hasCome)
        registrar.didSet(self, keyPath: \.hasCome)
    }

    /// Exists only for its key path.
    private var hasCome: Bool { false }
}
