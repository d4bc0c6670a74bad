import LMDB

/// The registries of the process. Each asks the others about the objects of its report, because scopes of one store can keep
/// objects of another alive.
///
/// - `references` is protected by its mutex, under which no registry is referenced.
final class OwnershipRegistries: Sendable {
    private struct Reference {
        weak let registry: OwnershipRegistry?
    }

    static let shared = OwnershipRegistries()
    private let references = HandoverMutex<[ObjectIdentifier: Reference]>([:])

    func add(_ registry: OwnershipRegistry) {
        references.withLock { $0[ObjectIdentifier(registry)] = Reference(registry: registry) }
    }

    func remove(_ registry: OwnershipRegistry) {
        _ = references.withLock { $0.removeValue(forKey: ObjectIdentifier(registry)) }
    }

    func others(than registry: OwnershipRegistry) -> [OwnershipRegistry] {
        references.withLock { Array($0.values) }.compactMap(\.registry).filter { $0 !== registry }
    }
}
