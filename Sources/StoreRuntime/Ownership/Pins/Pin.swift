import LMDB

/// What keeps an object alive until it is released, which its last reference does too. Releasing again does nothing.
public final class Pin: Sendable {
    private let id: PinID
    private let registry: OwnershipRegistry

    init(_ id: PinID, _ registry: OwnershipRegistry) {
        self.id = id
        self.registry = registry
    }

    deinit { release() }

    /// Ends it.
    public func release() { registry.unpin(id) }
}
