import Dispatch
import StoreEngine

@testable import StoreRuntime

/// Keeps a store's writer busy until the gate opens, so that writes queue up together.
final class Gate: Sendable {
    private let store: Store
    private let entered = DispatchSemaphore(value: 0)
    private let mayLeave = DispatchSemaphore(value: 0)
    private let writer: Task<Void, any Error>

    /// Occupies the writer, and returns when the writer is busy.
    static func closed(before store: Store) async -> Gate {
        let gate = Gate(store)
        await BlockingWork.run { gate.entered.wait() }
        return gate
    }

    private init(_ store: Store) {
        self.store = store
        let entered = entered
        let mayLeave = mayLeave
        writer = Task {
            try await store.write { _ in
                entered.signal()
                mayLeave.wait()
            }
        }
    }

    /// Waits until `count` writes are queued.
    func waits(for count: Int) async {
        while store.core.waitingCount < count, !Task.isCancelled { await Task.yield() }
    }

    /// Releases the writer after `count` writes are queued.
    func open(after count: Int = 0) async {
        await waits(for: count)
        mayLeave.signal()
        // The closure does nothing that can fail.
        try? await writer.value
    }
}
