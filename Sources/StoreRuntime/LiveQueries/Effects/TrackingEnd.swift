import Observation

/// Ends what Observation watches for a closure, which cannot be told to forget: the closure reads this too, whose change is one
/// more that it watches for.
package final class TrackingEnd: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    package init() {}

    /// Has the calling closure's watching end with the next ``come()``.
    package func note() { registrar.access(self, keyPath: \.hasCome) }

    /// Ends the watching of those that have noted it.
    package func come() {
        registrar.willSet(self, keyPath: \.hasCome)
        registrar.didSet(self, keyPath: \.hasCome)
    }

    /// Nothing but a name for what is watched.
    private var hasCome: Bool { false }
}
