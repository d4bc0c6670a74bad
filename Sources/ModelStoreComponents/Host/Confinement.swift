import LMDB
import StoreRuntime

/// The host that a tree's objects are confined to, readable from any thread.
///
/// - `host` is protected by its mutex; it is set once.
final class Confinement: Sendable {
    private struct Reference {
        weak var host: ComponentHost?
    }

    private let host = HandoverMutex(Reference())

    func begin(_ host: ComponentHost) { self.host.withLock { $0.host = host } }

    /// The host. It exists while one of its updates runs.
    var owner: ComponentHost {
        guard let host = host.withLock({ $0.host }) else { preconditionFailure("the host of the tree is gone") }
        return host
    }

    /// Stops the program unless the calling code runs on the host.
    func check(_ type: any Any.Type) {
        let message =
            "a \(type) is confined to its host, but a binding to it was used outside that host; make the class Sendable"
        guard let host = host.withLock({ $0.host }) else { preconditionFailure(message) }
        host.preconditionIsolated(message)
    }
}

/// Wraps an object that is confined to a host in a Sendable value.
///
/// This is safe because each use checks that it runs on the host.
struct Confined<Object: AnyObject>: ObjectAccess, @unchecked Sendable {
    private let object: Object
    private let confinement: Confinement?

    init(_ object: Object, _ confinement: Confinement?) {
        self.object = object
        self.confinement = confinement
    }

    /// The source of a binding to a property of the object.
    func source(of path: any Hashable & Sendable) -> BindingSource { BindingSource(object, path) }

    /// Calls a closure with the object. Stops the program if the caller does not run on the host.
    func use<Value>(_ body: (Object) -> Value) -> Value {
        guard let confinement else {
            preconditionFailure("a binding to a \(Object.self) was used in a component without a host")
        }
        confinement.check(Object.self)
        return body(object)
    }
}
