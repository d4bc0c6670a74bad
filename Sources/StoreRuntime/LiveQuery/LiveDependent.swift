import LMDB
import StoreEngine

/// Somebody who wants to know when records of some types have changed, in some of their fields.
///
/// - `signal` is protected by its mutex; it is set once.
final class LiveDependent: Sendable {
    private let reads: [UInt32: PlaceSet]
    private let signal = HandoverMutex<Signal?>(nil)

    init(_ reads: [LiveDependencies.OfType]) {
        self.reads = Dictionary(reads.map { ($0.type, $0.places) }) { first, second in
            var both = first
            both.formUnion(second)
            return both
        }
    }

    var typeNumbers: Dictionary<UInt32, PlaceSet>.Keys { reads.keys }

    func subscribe(_ signal: Signal) { self.signal.withLock { $0 = signal } }

    /// Whether a step's changes concern it.
    ///
    /// - Parameter changed: the fields that changed, by the number of the type.
    func isConcerned(by changed: [UInt32: PlaceSet]) -> Bool {
        reads.contains { type, places in changed[type]?.intersects(places) ?? false }
    }
}

extension LiveDependent: Publishing {
    func willShow(_ sequence: UInt64) {}
    func didShow(_ sequence: UInt64) { signal.withLock { $0 }?.raise() }
    func prune(below floor: UInt64) -> Bool { false }
    func end() { signal.withLock { $0 }?.end() }
}

/// The dependents of a store.
struct LiveDependents {
    private var dependents: [ObjectIdentifier: LiveDependent] = [:]
    /// How many depend on each type, by its number.
    private var counts: [UInt32: Int] = [:]

    var all: [LiveDependent] { Array(dependents.values) }

    mutating func add(_ dependent: LiveDependent) {
        dependents[ObjectIdentifier(dependent)] = dependent
        for type in dependent.typeNumbers { counts[type, default: 0] += 1 }
    }

    mutating func remove(_ dependent: LiveDependent) {
        guard dependents.removeValue(forKey: ObjectIdentifier(dependent)) != nil else { return }
        for type in dependent.typeNumbers { counts[type, default: 1] -= 1 }
    }

    func isInterested(inType number: UInt32) -> Bool { counts[number] ?? 0 > 0 }

    /// Adds those that a step concerns to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil where all may have changed.
    func apply(_ changes: [StepChange]?, _ publication: inout Publication) {
        if dependents.isEmpty { return }
        guard let changes else { return publication.others += all }
        var changed: [UInt32: PlaceSet] = [:]
        for change in changes { changed[change.type.type.id, default: PlaceSet()].formUnion(change.changedPlaces) }
        publication.others += dependents.values.filter { $0.isConcerned(by: changed) }
    }
}
