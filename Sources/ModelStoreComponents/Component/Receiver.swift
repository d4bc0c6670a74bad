import LMDB

/// Calls the closure of a component's newest update with each element of a sequence.
///
/// - `body` is protected by its mutex.
final class Receiver<Element>: Sendable {
    /// A struct, because a lock of a generic type wraps a bare closure once more with each access.
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
        // Objects that the old closure captured are released outside the lock.
        withExtendedLifetime(old) {}
    }

    nonisolated(nonsending) func receive(_ element: Element) async throws {
        try await body.withLock { $0 }?.run(element)
    }
}
