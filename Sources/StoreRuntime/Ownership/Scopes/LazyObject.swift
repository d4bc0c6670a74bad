import LMDB

/// An object that is created once, when a caller first asks for it.
final class LazyObject<T: AnyObject & Sendable>: Sendable {
    private let made = HandoverMutex<T?>(nil)

    func value(_ make: () throws -> T) throws -> T {
        try made.withLock { made in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }
}
