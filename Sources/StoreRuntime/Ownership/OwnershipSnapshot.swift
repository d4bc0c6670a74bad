import LMDB

/// The contents of a registry at one moment, so that a report needs no lock.
struct OwnershipSnapshot {
    let now: Int64
    let lines: SourceLines
    let registry: OwnershipRegistry
    private(set) var objects: [KeptObject] = []
    private(set) var pins: [ObjectIdentifier: [PinState.Pin]] = [:]
    private(set) var resting: Set<ObjectIdentifier> = []
    var leaks: [(object: KeptObject, scope: String, line: UInt32, since: Int64)] = []
    var scopes: [UInt64: OwnershipRegistry.OpenScope] = [:]
    var constructions: [UInt32: NoticeBook.Constructed] = [:]

    /// The same objects in the process's other registries.
    var others: [OwnershipSnapshot] = []

    init(now: Int64, lines: SourceLines, registry: OwnershipRegistry) {
        self.now = now
        self.lines = lines
        self.registry = registry
    }

    /// Adds an object, unless it was added before.
    mutating func add(_ object: KeptObject, _ pins: [PinState.Pin], isResting: Bool) {
        guard self.pins.updateValue(pins, forKey: object.id) == nil else { return }
        objects.append(object)
        if isResting { resting.insert(object.id) }
    }
}

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
