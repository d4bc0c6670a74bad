import Observation

/// A value of a generic type that Observation tracks.
///
/// A generic type instantiates a key path each time that it uses one, which takes most of the time of a read or a change. The
/// tracked name belongs to a type that is not generic, so its key path is created once. Each value has its own registrar.
package struct TrackedValue: Sendable {
    private final class Name: Observable, Sendable {
        static let shared = Name()

        /// Exists only for its key path.
        var value: Bool { false }
    }

    private let registrar = ObservationRegistrar()

    package init() {}

    /// Tracks the value in the closure that the calling thread runs.
    package func access() { registrar.access(Name.shared, keyPath: \.value) }

    /// Notifies the closures that track the value that it has changed.
    package func change() {
        registrar.willSet(Name.shared, keyPath: \.value)
        registrar.didSet(Name.shared, keyPath: \.value)
    }
}
