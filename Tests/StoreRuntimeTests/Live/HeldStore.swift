import LMDB
import StoreEngine
import Synchronization

@testable import StoreRuntime

/// A store whose steps a test can pause while it commits.
final class HeldStore: Sendable {
    let folder: StoreFolder
    let store: Store
    let failures: Failures

    final class Failures: Sendable {
        let errors = Mutex<[StoreError]>([])
    }

    init() throws {
        folder = try StoreFolder()
        failures = Failures()
        var options = StoreOptions()
        options.durability = .relaxed
        options.onEvent = { [failures] event in
            if case .observationFailed(let error) = event { failures.errors.withLock { $0.append(error) } }
        }
        store = try Store(at: folder.path, records: Sensor.self, options: options)
        try store.core.dispatcher.start()
    }

    /// Pauses steps.
    func hold() { store.core.dispatcher.hold() }

    /// Applies all commits since ``hold()`` in one step, and waits until it is published.
    func show() async {
        store.core.dispatcher.resume()
        await store.core.dispatcher.waitUntilPublished()
    }

    func put(_ celsius: Double) throws {
        try store.commitUnshown { tx in
            if try tx.get(Sensor.self, id: "s1") == nil {
                try tx.insert(Sensor(id: "s1", room: "hall", serial: "A-1", celsius: celsius))
            } else {
                try tx.update(Sensor.self, id: "s1") { $0.celsius = celsius }
            }
        }
    }

    func delete() throws { try store.commitUnshown { tx in _ = try tx.delete(Sensor.self, id: "s1") } }

    /// Changes the files as a foreign program does.
    func tamper(_ body: @escaping @Sendable (inout LMDBWriteTransaction) throws -> Void) throws {
        let environment = store.core.environment
        try store.core.perform {
            var raw = try environment.beginWrite()
            try body(&raw)
            try raw.commit()
        }
    }
}
