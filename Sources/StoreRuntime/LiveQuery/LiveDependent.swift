import LMDB
import StoreEngine

/// Somebody who wants to know when records of some types have changed, in some of their fields.
///
/// - `state` is protected by its mutex.
final class LiveDependent: Sendable {
    private struct State {
        var signal: Signal?
        var isEnded = false
    }

    private let reads: [UInt32: PlaceSet]
    private let state = HandoverMutex(State())

    init(_ reads: [LiveDependencies.OfType]) {
        self.reads = Dictionary(reads.map { ($0.type, $0.places) }) { first, second in
            var both = first
            both.formUnion(second)
            return both
        }
    }

    var typeNumbers: Dictionary<UInt32, PlaceSet>.Keys { reads.keys }

    /// Has a signal raised instead of the one before.
    func subscribe(_ signal: Signal) {
        let isEnded = state.withLock { state in
            state.signal = signal
            return state.isEnded
        }
        if isEnded { signal.end() }
    }

    /// Whether a step's changes concern it.
    ///
    /// - Parameter changed: the fields that changed, by the number of the type.
    func isConcerned(by changed: [UInt32: PlaceSet]) -> Bool {
        reads.contains { type, places in changed[type]?.intersects(places) ?? false }
    }
}

extension LiveDependent: Publishing {
    func willShow(_ sequence: UInt64) {}
    func didShow(_ sequence: UInt64) { state.withLock { $0.signal }?.raise() }
    func prune(below floor: UInt64) -> Bool { false }

    func end() {
        let signal = state.withLock { state in
            state.isEnded = true
            return state.signal
        }
        signal?.end()
    }
}

/// The dependents of a store, each of which a step visits only where it changed a type that they read.
struct LiveDependents {
    /// By numbers in the order in which they came, which is that of telling them.
    private var dependents: [UInt64: LiveDependent] = [:]
    private var numbers: [ObjectIdentifier: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    /// Those that read a type, by its number.
    private var readers: [UInt32: Set<UInt64>] = [:]

    /// How many steps have looked at, together.
    private(set) var visitCount = 0

    var all: [LiveDependent] { inOrder(dependents.keys) }

    mutating func add(_ dependent: LiveDependent) {
        lastNumber += 1
        dependents[lastNumber] = dependent
        numbers[ObjectIdentifier(dependent)] = lastNumber
        for type in dependent.typeNumbers { readers[type, default: []].insert(lastNumber) }
    }

    mutating func remove(_ dependent: LiveDependent) {
        guard let number = numbers.removeValue(forKey: ObjectIdentifier(dependent)) else { return }
        dependents[number] = nil
        for type in dependent.typeNumbers {
            readers[type]?.remove(number)
            if readers[type]?.isEmpty ?? false { readers[type] = nil }
        }
    }

    func isInterested(inType number: UInt32) -> Bool { readers[number] != nil }

    /// Adds those that a step concerns to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil where all may have changed.
    mutating func apply(_ changes: [StepChange]?, _ publication: inout Publication) {
        if readers.isEmpty { return }
        guard let changes else {
            return publication.others += inOrder(readers.values.reduce(into: Set()) { $0.formUnion($1) })
        }
        var changed: [UInt32: PlaceSet] = [:]
        for change in changes { changed[change.type.type.id, default: PlaceSet()].formUnion(change.changedPlaces) }
        var visited: Set<UInt64> = []
        for type in changed.keys { visited.formUnion(readers[type] ?? []) }
        visitCount += visited.count
        publication.others += inOrder(visited).filter { $0.isConcerned(by: changed) }
    }

    private func inOrder(_ numbers: some Collection<UInt64>) -> [LiveDependent] {
        numbers.sorted().compactMap { dependents[$0] }
    }
}
