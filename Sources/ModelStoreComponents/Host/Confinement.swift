import LMDB

/// The host that a tree's objects are confined to, known from any thread.
///
/// - `host` is protected by its mutex; it is set once.
final class Confinement: Sendable {
    private struct Reference {
        weak var host: ComponentHost?
    }

    private let host = HandoverMutex(Reference())

    func begin(_ host: ComponentHost) { self.host.withLock { $0.host = host } }

    /// Stops the program unless the calling code runs on the host.
    func check(_ type: any Any.Type) {
        let message =
            "a \(type) is confined to its host, and a binding to it was used elsewhere; make the class Sendable"
        guard let host = host.withLock({ $0.host }) else { preconditionFailure(message) }
        host.preconditionIsolated(message)
    }
}

/// An object that is confined to a host, in something that is Sendable.
///
/// Safe, as each use checks that it is on the host.
struct Confined<Object: AnyObject>: @unchecked Sendable {
    private let object: Object
    private let confinement: Confinement?

    init(_ object: Object, _ confinement: Confinement?) {
        self.object = object
        self.confinement = confinement
    }

    /// Uses the object, on the host alone.
    func use<Value>(_ body: (Object) -> Value) -> Value {
        guard let confinement else {
            preconditionFailure("a binding to a \(Object.self) was used of a component that has no host")
        }
        confinement.check(Object.self)
        return body(object)
    }
}
