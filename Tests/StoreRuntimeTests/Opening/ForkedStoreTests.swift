import Foundation
import Glibc
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Stores in a forked child of the process that opened them.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ForkedStoreTests {
    @Test func `no call waits in a forked child, and the parent's store stays as it is`() async {
        await #expect(processExitsWith: .success) {
            let folder = try StoreFolder()
            let store = try Store(at: folder.path, records: Sensor.self)
            try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
            let model = try store.model(Sensor.self, id: "a")
            // The store's threads are idle after a second commit, and hold no locks of Swift's runtime.
            try await store.write { tx in _ = try tx.delete(Sensor.self, id: "c") }
            await ForkedChild.waitForTimers()
            let isRefused = ForkedChild.run {
                let codes = [
                    storeError { try store.read { _ in } }, storeError { try store.write { _ in } },
                    storeError { try store.write(timeout: .seconds(60)) { _ in } },
                    storeError { _ = try store.model(Sensor.self, id: "a") },
                    storeError { _ = try store.liveQuery(FetchRequest(Sensor.self)) },
                    storeError { _ = try store.consumers() }, storeError { _ = try store.position },
                    storeError { _ = try store.verify { _ in } }, storeError { try store.clearStaleReaders() },
                    storeError { _ = try store.scope("late") },
                    storeError { try model.core.perform {} },
                ]
                store.close()
                store.close()
                let afterClose = storeError { try store.read { _ in } }
                return (codes + [afterClose]).allSatisfy { $0?.code == .forkedChild }
            }
            guard isRefused else { exit(2) }
            try await store.write { tx in _ = try tx.insert(Sensor(id: "b", room: "r", serial: "2")) }
            guard try store.count(Sensor.self) == 2 else { exit(3) }
            store.close()
        }
    }

    @Test func `a forked child that closes a temporary store leaves its files`() async {
        await #expect(processExitsWith: .success) {
            let store = try Store.temporary(records: Sensor.self)
            let path = store.path
            let returned = ForkedChild.run {
                store.close()
                return true
            }
            guard returned, FileManager.default.fileExists(atPath: path) else { exit(2) }
            try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
            store.close()
        }
    }

    @Test func `a forked child can open the store itself, beside the parent's`() async {
        await #expect(processExitsWith: .success) {
            let folder = try StoreFolder()
            let store = try Store(at: folder.path, records: Sensor.self)
            let path = folder.path
            // The writer's thread is idle after its second commit.
            for id in ["b", "c"] {
                try await store.write { tx in _ = try tx.insert(Sensor(id: id, room: "r", serial: id)) }
            }
            await ForkedChild.waitForTimers()
            let worked = ForkedChild.runOnNewThread {
                store.close()
                let own = try Store(at: path, records: Sensor.self)
                try own.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
                own.close()
                return true
            }
            guard worked, try store.count(Sensor.self) == 3 else { exit(2) }
            store.close()
        }
    }

    @Test func `a forked child that releases a consumer leaves it with the parent`() async {
        await #expect(processExitsWith: .success) {
            let folder = try StoreFolder()
            let file = try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false)
            var byte = try ExclusiveByte(3, of: file)
            var mark: SharedByte? = try SharedByte(3, of: file)
            let released = ForkedChild.run {
                byte = nil
                mark = nil
                return try ExclusiveByte.isTaken(3, of: file) && SharedByte.isSet(3, of: file)
            }
            guard released, byte != nil, mark != nil else { exit(2) }
            guard try ExclusiveByte.isTaken(3, of: file), try SharedByte.isSet(3, of: file) else { exit(3) }
        }
    }
}
