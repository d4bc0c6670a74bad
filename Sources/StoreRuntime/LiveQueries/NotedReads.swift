import StoreEngine
import Synchronization

/// What the requests of a closure read, noted while they run.
///
/// - `fieldIndexes` is protected by its mutex.
final class NotedReads: ReadNoting {
    private let fieldIndexes = Mutex<[UInt32: FieldIndexSet]>([:])

    func note(_ read: LiveDependencies.OfType) {
        fieldIndexes.withLock { $0[read.type, default: FieldIndexSet()].formUnion(read.fieldIndexes) }
    }

    /// What was noted so far, apart from what is in `known`; ascending by the types' numbers.
    func all(besides known: [LiveDependencies.OfType]) -> [LiveDependencies.OfType] {
        fieldIndexes.withLock { fieldIndexes in fieldIndexes.map { LiveDependencies.OfType(type: $0, fieldIndexes: $1) }
        }
        .filter { !known.contains($0) }.sorted { $0.type < $1.type }
    }
}
