import Dispatch
import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// Values that optimistic bindings show before their commit.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct PendingValueTests {
    @Test func `a failed change takes back the later changes that were built on it`() {
        let pending = PendingValue<Int>()
        let first = pending.begin({ 1 }, change: { $0 = 2 })
        let second = pending.begin({ 1 }, change: { $0 += 10 })
        #expect(pending.value == 12)
        pending.finish(first, isFailed: true)
        #expect(pending.value == nil)
        // The next change is built on the committed value.
        let third = pending.begin({ 1 }, change: { $0 += 100 })
        pending.finish(second, isFailed: false)
        #expect(pending.value == 101)
        pending.finish(third, isFailed: false)
        #expect(pending.value == nil)
    }

    @Test func `a binding takes back a failed value while a newer one waits`() async throws {
        var options = StoreOptions()
        options.limits.batchedWrites = 1
        let store = try Store.temporary(records: Sensor.self, options: options)
        try await store.write { tx in
            for number in 0..<2 { try tx.insert(Sensor(id: "s\(number)", room: "r", serial: "A-\(number)")) }
        }
        let model = try store.model(Sensor.self, id: "s0")
        let (errors, continuation) = AsyncStream<any Error>.makeStream()
        let binding = model.binding(\.serial, isOptimistic: true) { continuation.yield($0) }
        let gate = await Gate.closed(before: store)
        // The serial is unique, and the other sensor has this value.
        binding.wrappedValue = "A-1"
        let mayLeave = DispatchSemaphore(value: 0)
        let between = Task { try await store.write { _ in mayLeave.wait() } }
        await gate.waits(for: 2)
        binding.wrappedValue = "B"
        #expect(binding.wrappedValue == "B")
        await gate.open(after: 3)
        for await error in errors {
            #expect((error as? StoreError)?.code == .uniqueViolation)
            break
        }
        #expect(binding.wrappedValue == "A-0")
        mayLeave.signal()
        _ = try await between.value
        try await model.update { $0.note = "after" }
        #expect(model.serial == "B" && binding.wrappedValue == "B")
    }
}
