import Dispatch
import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Blocking writes that run on the caller's thread because no other write is queued.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct CallersWriteTests {
    private func sensor(_ number: Int) -> Sensor { Sensor(id: "s\(number)", room: "r", serial: "\(number)") }

    @Test func `a blocking write runs on the calling thread, others on the writer's`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let (caller, own) = try await BlockingWork.run {
            let caller = UInt(pthread_self())
            var own: UInt = 0
            // The writer thread may still be busy with opening the store. In that case it runs the write.
            for _ in 0..<10_000 where own != caller { own = try store.write { _ in UInt(pthread_self()) } }
            return (caller, own)
        }
        #expect(own == caller)
        let writers = [
            try await store.write { _ in UInt(pthread_self()) },
            try await store.write { _ in UInt(pthread_self()) },
        ]
        #expect(writers[0] == writers[1] && writers[0] != caller)
        // After the write, the caller no longer acts as the writer.
        try await BlockingWork.run {
            for number in 0..<3 { _ = try store.write { tx in _ = try tx.insert(sensor(number)) } }
        }
        #expect(try store.all(Sensor.self).count == 3)
    }

    @Test func `what is queued during it is done after it, by the writer, and so is what a close waits for`()
        async throws
    {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        let entered = DispatchSemaphore(value: 0)
        let mayLeave = DispatchSemaphore(value: 0)
        async let own = BlockingWork.run {
            try store.write { tx in
                _ = try tx.insert(sensor(0))
                entered.signal()
                mayLeave.wait()
            }
        }
        await BlockingWork.run { entered.wait() }
        async let others: Void = withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 { group.addTask { try await store.write { tx in _ = try tx.insert(sensor(number)) } } }
            group.addTask { try await BlockingWork.run { _ = try store.write { tx in _ = try tx.insert(sensor(5)) } } }
            try await group.waitForAll()
        }
        while store.core.waitingCount < 5 { try await nextTurn() }
        async let closed: Void = store.shutdown()
        mayLeave.signal()
        _ = try await (own, others, closed)
        let again = try Store(at: folder.path, records: Sensor.self)
        #expect(try again.all(Sensor.self).map(\.id) == (0...5).map { "s\($0)" })
        #expect(try again.findings() == [])
        again.close()
    }

    @Test func `its errors undo it, and it nests no other`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try await BlockingWork.run {
            let nested = storeError { try store.write { _ in try store.write { _ in } } }
            #expect(nested?.code == .nestedWrite)
            let taken = storeError {
                try store.write { tx in for _ in 0..<2 { _ = try tx.insert(sensor(1)) } }
            }
            #expect(taken?.code == .recordExists)
            #expect(try store.all(Sensor.self) == [])
            // A write inside the caller's own read closure does not change the closure's snapshot.
            let seen = try store.read { tx in
                _ = try store.write { tx in _ = try tx.insert(sensor(2)) }
                return try tx.count(Sensor.self)
            }
            #expect(seen == 0)
        }
        #expect(try store.all(Sensor.self).map(\.id) == ["s2"])
    }
}
