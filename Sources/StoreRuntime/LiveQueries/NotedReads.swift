import StoreEngine
import Synchronization

/// What the requests of a closure read, noted while they run.
///
/// - `places` is protected by its mutex.
final class NotedReads: ReadNoting {
    private let places = Mutex<[UInt32: PlaceSet]>([:])

    func note(_ read: LiveDependencies.OfType) {
        places.withLock { $0[read.type, default: PlaceSet()].formUnion(read.places) }
    }

    /// What was noted so far, apart from what is in `known`; ascending by the types' numbers.
    func all(besides known: [LiveDependencies.OfType]) -> [LiveDependencies.OfType] {
        places.withLock { places in places.map { LiveDependencies.OfType(type: $0, places: $1) } }
            .filter { !known.contains($0) }.sorted { $0.type < $1.type }
    }
}
