import LMDB
import StoreEngine
import Synchronization

/// The position and the snapshot of an open read view. The thread on which the view is open can find it.
///
/// It belongs to that thread alone.
@safe
final class ReadViewStorage {
    let timeline: Timeline
    let position: Position
    /// Stored outside the object: a value inside an object cannot be borrowed for the lifetime of the object.
    private let transaction: UnsafeMutablePointer<ReadTransaction>
    /// The view that the thread was in before. Views of different stores, or of the same store, can be nested.
    private var outer: ReadViewStorage?
    private var isOpen = true

    var sequence: UInt64 { position.sequence }

    init(_ timeline: Timeline, _ position: Position, _ transaction: consuming ReadTransaction) {
        self.timeline = timeline
        self.position = position
        unsafe self.transaction = .allocate(capacity: 1)
        unsafe self.transaction.initialize(to: transaction)
    }

    deinit {
        close()
        unsafe transaction.deinitialize(count: 1)
        unsafe transaction.deallocate()
    }

    /// The context through which the view reads.
    var scope: ReadContext {
        @_lifetime(borrow self)
        borrowing get { unsafe _overrideLifetime(transaction.pointee._reading, borrowing: self) }
    }

    /// Returns the record with an id at the view's position.
    func record<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
        unsafe try transaction.pointee.get(type, id: id)
    }

    /// How many views are open on all threads. While there are none, no thread has to look for its own.
    private static let openCount = Atomic<Int>(0)

    private static let slot = ThreadSlot()

    /// The innermost view of the calling thread.
    private static var current: ReadViewStorage? {
        guard openCount.load(ordering: .relaxed) > 0, let pointer = unsafe slot.pointer else { return nil }
        return unsafe Unmanaged<ReadViewStorage>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Returns the innermost view of the calling thread on a store.
    static func current(on timeline: Timeline) -> ReadViewStorage? {
        var view = current
        while let found = view {
            if found.timeline === timeline { return found }
            view = found.outer
        }
        return nil
    }

    /// Runs `body` with this as the calling thread's view.
    func enter<T>(_ body: () throws -> T) rethrows -> T {
        _ = ReadViewStorage.openCount.wrappingAdd(1, ordering: .relaxed)
        outer = ReadViewStorage.current
        // The caller keeps the view alive while the pointer is set.
        unsafe ReadViewStorage.slot.pointer = Unmanaged.passUnretained(self).toOpaque()
        defer {
            unsafe ReadViewStorage.slot.pointer = outer.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            outer = nil
            _ = ReadViewStorage.openCount.wrappingSubtract(1, ordering: .relaxed)
            close()
        }
        return try body()
    }

    /// Releases the position. A view that was never entered releases it with its last reference.
    private func close() {
        guard isOpen else { return }
        isOpen = false
        timeline.close(sequence)
    }
}
