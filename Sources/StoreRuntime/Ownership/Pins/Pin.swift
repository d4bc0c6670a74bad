import LMDB

/// Keeps an object alive until ``release()``, or until the last reference to the pin goes away. Releasing a pin again does
/// nothing.
public final class Pin: Sendable {
    private let id: PinID
    private let registry: OwnershipRegistry

    init(_ id: PinID, _ registry: OwnershipRegistry) {
        self.id = id
        self.registry = registry
    }

    deinit { release() }

    /// Releases the object.
    public func release() { registry.unpin(id) }
}
