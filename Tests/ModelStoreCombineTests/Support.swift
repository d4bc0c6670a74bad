#if OpenCombine
import LMDB
import ModelStore
@unsafe @preconcurrency import OpenCombine

extension Store {
    /// Returns a store with sensors named s0, s1 and so on.
    static func ofSensors(_ count: Int = 1) async throws -> Store {
        var options = StoreOptions()
        options.durability = .relaxed
        let store = try Store.temporary(records: Sensor.self, options: options)
        try await store.write { tx in
            for number in 0..<count { try tx.insert(Sensor(id: "s\(number)")) }
        }
        return store
    }

    /// Sets a sensor's temperature.
    @discardableResult
    func heat(_ id: String = "s0", to celsius: Double) async throws -> Position {
        try await write(returning: .position) { try $0.update(Sensor.self, id: id) { $0.celsius = celsius } }.position
    }
}

/// The values that a subscriber received, in order.
final class Received<Value: Sendable>: Sendable {
    private let received = HandoverMutex<(values: [Value], ends: [String])>(([], []))

    var values: [Value] { received.withLock { $0.values } }
    var ends: [String] { received.withLock { $0.ends } }

    func note(_ value: Value) { received.withLock { $0.values.append(value) } }

    func note<Failure>(_ end: Subscribers.Completion<Failure>) {
        let text =
            switch end {
            case .finished: "finished"
            case .failure(let error): "\((error as? StoreError)?.code.description ?? "\(error)")"
            }
        received.withLock { $0.ends.append(text) }
    }
}

/// Waits until a condition holds; the tests' time limit ends the wait otherwise.
func until(_ holds: () -> Bool) async {
    while !holds(), !Task.isCancelled { await Task.yield() }
}

/// A subscriber that requests values when a test asks it to.
final class Asking<Value: Sendable, Failure: Error>: Subscriber, Sendable {
    typealias Input = Value

    /// Sendable, because subscriptions may be called on any thread.
    private struct Kept: @unchecked Sendable {
        var subscription: (any Subscription)?
    }

    let received = Received<Value>()
    private let kept = HandoverMutex(Kept())

    func receive(subscription: any Subscription) { kept.withLock { $0.subscription = subscription } }

    func receive(_ value: Value) -> Subscribers.Demand {
        received.note(value)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { received.note(completion) }

    func ask(for count: Int) { kept.withLock { $0 }.subscription?.request(.max(count)) }

    func cancel() { kept.withLock { $0 }.subscription?.cancel() }
}
#endif
