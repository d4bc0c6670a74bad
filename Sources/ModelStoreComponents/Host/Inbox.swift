import LMDB
import StoreRuntime

/// Collects, from all threads, the places of a tree that need an update.
///
/// - `marks` is protected by its mutex.
final class Inbox: Sendable {
    let signal = Signal()
    private let marks = HandoverMutex<[UInt64: UInt64]>([:])

    /// Records that something changed that an update of a place has read.
    ///
    /// - Parameter number: the update's number.
    func mark(_ id: UInt64, _ number: UInt64) { MarkingTurn.mark(id, number, for: self) }

    func take() -> [UInt64: UInt64] {
        marks.withLock { marks in
            defer { marks = [:] }
            return marks
        }
    }
}

extension Inbox: MarkReceiver {
    func add(_ new: [UInt64: UInt64]) {
        marks.withLock { $0.merge(new, uniquingKeysWith: max) }
        signal.raise()
    }
}
