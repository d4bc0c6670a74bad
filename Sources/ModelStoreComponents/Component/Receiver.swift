import LMDB

/// What is called with each element of a sequence that a component receives: the closure of its newest update.
///
/// - `body` is protected by its mutex.
final class Receiver<Element>: Sendable {
    /// In a structure, as a lock of a generic type wraps a bare closure anew each time.
    private struct Body {
        let run: @Sendable (Element) async throws -> Void
    }

    private let body: HandoverMutex<Body?>

    init(_ body: @escaping @Sendable (Element) async throws -> Void) { self.body = HandoverMutex(Body(run: body)) }

    /// Takes the closure of a newer update.
    func become(_ new: @escaping @Sendable (Element) async throws -> Void) {
        let old = body.withLock { body in
            defer { body = Body(run: new) }
            return body
        }
        // What it has captured is let go outside of the lock.
        withExtendedLifetime(old) {}
    }

    nonisolated(nonsending) func receive(_ element: Element) async throws {
        try await body.withLock { $0 }?.run(element)
    }
}
