import Observation

/// A value of a generic type that Observation tracks.
///
/// A generic type instantiates a key path each time that it uses one, which takes most of the time of a read or a change. The name
/// that is tracked here belongs to no generic type, so that its key path is made once. Values differ by their registrars.
package struct TrackedValue: Sendable {
    private final class Name: Observable, Sendable {
        static let shared = Name()

        /// Nothing but a name for the value.
        var value: Bool { false }
    }

    private let registrar = ObservationRegistrar()

    package init() {}

    /// Has the closure that the calling thread runs watch the value.
    package func access() { registrar.access(Name.shared, keyPath: \.value) }

    /// Tells what watches the value that it is another.
    package func change() {
        registrar.willSet(Name.shared, keyPath: \.value)
        registrar.didSet(Name.shared, keyPath: \.value)
    }
}
