import LMDB
import StoreEngine
import Synchronization

/// The position that this process has published, and the earlier positions that read views hold.
///
/// - `visible` rises with each published step.
/// - `hasOlder` is set by the thread that publishes.
/// - `views` is protected by its mutex.
final class Timeline: Sendable {
    private let published = Atomic<UInt64>(0)
    /// How many open views hold a position.
    private let views = HandoverMutex<[UInt64: Int]>([:])

    /// Whether versions are kept for views. They are dropped when those views end.
    let hasOlder = Atomic(false)

    /// The position of reads outside a read view.
    var publishedSequence: UInt64 { published.load(ordering: .acquiring) }

    /// Publishes a later position.
    func publish(_ sequence: UInt64) { published.store(sequence, ordering: .releasing) }

    /// The position at which the calling thread reads: that of its read view, otherwise the published one.
    var readSequence: UInt64 { ReadViewStorage.current(on: self)?.sequence ?? publishedSequence }

    /// The oldest position at which a thread can read.
    var floor: UInt64 {
        let oldest = views.withLock { $0.keys.min() }
        return min(oldest ?? .max, publishedSequence)
    }

    func open(_ sequence: UInt64) { views.withLock { $0[sequence, default: 0] += 1 } }

    func close(_ sequence: UInt64) {
        views.withLock { views in
            guard let count = views[sequence] else { return }
            views[sequence] = count > 1 ? count - 1 : nil
        }
    }
}
