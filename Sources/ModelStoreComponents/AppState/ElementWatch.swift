import Observation

/// Keeps alive the elements of a value that Observation tracks: Observation holds the key paths that it tracks, and each key path
/// holds its element.
///
/// Observation does not report when it stops tracking. The element is released with the key path.
final class ElementWatch<Content: Sendable>: Observable, Sendable {
    private let registrar = ObservationRegistrar()

    /// Makes Observation keep an element alive for as long as it tracks the reads of the calling closure.
    func note(_ element: StateElement<Content>) { registrar.access(self, keyPath: \.[element]) }

    /// Exists only to form the key paths.
    private subscript(element: StateElement<Content>) -> Bool { false }
}
