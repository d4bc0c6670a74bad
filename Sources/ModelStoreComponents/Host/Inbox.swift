import LMDB
import StoreRuntime

/// Which places of a tree have to be updated, from all threads.
///
/// - `marks` is protected by its mutex.
final class Inbox: Sendable {
    let signal = Signal()
    private let marks = HandoverMutex<[UInt64: UInt64]>([:])

    /// Notes that what an update of a place has read is another now.
    ///
    /// - Parameter number: the update's number.
    func mark(_ id: UInt64, _ number: UInt64) {
        if !MarkingTurn.note(id, number, for: self) { add([(id, number)]) }
    }

    /// Notes several at once.
    func add(_ new: some Sequence<(id: UInt64, number: UInt64)>) {
        marks.withLock { marks in
            for (id, number) in new { marks[id] = max(marks[id] ?? 0, number) }
        }
        signal.raise()
    }

    func take() -> [UInt64: UInt64] {
        marks.withLock { marks in
            defer { marks = [:] }
            return marks
        }
    }
}
