import Observation

/// Keeps the elements of a state that Observation watches: what it watches for it knows by key paths, and these have the element.
///
/// So an element goes when nothing watches it any more, of which Observation tells nobody.
final class ElementWatch<Content: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    /// Has what watches the calling closure's reads keep an element.
    func note(_ element: StateElement<Content>) { registrar.access(self, keyPath: \.[element]) }

    /// Nothing but a name for what is watched.
    private subscript(element: StateElement<Content>) -> Bool { false }
}
