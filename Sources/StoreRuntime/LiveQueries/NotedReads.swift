import StoreEngine
import Synchronization

/// The fields that the requests of a closure read, noted while they run.
final class NotedReads: ReadNoting {
    private let fieldIndexes = Mutex<[UInt32: FieldIndexSet]>([:])

    func note(_ read: LiveDependencies.OfType) {
        fieldIndexes.withLock { $0[read.type, default: FieldIndexSet()].formUnion(read.fieldIndexes) }
    }

    /// Returns the noted reads without those in `known`, in ascending order of the type numbers.
    func all(besides known: [LiveDependencies.OfType]) -> [LiveDependencies.OfType] {
        fieldIndexes.withLock { fieldIndexes in fieldIndexes.map { LiveDependencies.OfType(type: $0, fieldIndexes: $1) }
        }
        .filter { !known.contains($0) }.sorted { $0.type < $1.type }
    }
}
