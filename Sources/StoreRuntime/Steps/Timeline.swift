import LMDB
import StoreEngine
import Synchronization

/// Which position of the store this process shows, and which read views hold earlier ones.
///
/// - `visible` rises with each step that is published.
/// - `hasOlder` is set by who publishes.
/// - `views` is protected by its mutex.
final class Timeline: Sendable {
    private let visible = Atomic<UInt64>(0)
    /// How many open views hold a position.
    private let views = HandoverMutex<[UInt64: Int]>([:])

    /// Whether versions are kept for views, to be let go when those end.
    let hasOlder = Atomic(false)

    /// What is read outside of a read view is at this position.
    var visibleSequence: UInt64 { visible.load(ordering: .acquiring) }

    /// Shows a later position.
    func show(_ sequence: UInt64) { visible.store(sequence, ordering: .releasing) }

    /// The position at which the calling thread reads: that of its read view, else the visible one.
    var readSequence: UInt64 { ReadViewStorage.current(on: self)?.sequence ?? visibleSequence }

    /// Nobody asks for anything older than this.
    var floor: UInt64 {
        let oldest = views.withLock { $0.keys.min() }
        return min(oldest ?? .max, visibleSequence)
    }

    func open(_ sequence: UInt64) { views.withLock { $0[sequence, default: 0] += 1 } }

    func close(_ sequence: UInt64) {
        views.withLock { views in
            guard let count = views[sequence] else { return }
            views[sequence] = count > 1 ? count - 1 : nil
        }
    }
}
