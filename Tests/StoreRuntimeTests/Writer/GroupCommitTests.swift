import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct GroupCommitTests {
    private struct OwnError: Error, Equatable { let number: Int }

    private func sensor(_ number: Int) -> Sensor { Sensor(id: "s\(number)", room: "r", serial: "\(number)") }

    @Test func `closures that wait together share one commit, and each has a change set of its own`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let before = try store.environmentInfo().lastTransactionID
        let first = try store.position.sequence
        let gate = await Gate.closed(before: store)
        let positions = try await withThrowingTaskGroup(of: Position.self) { group in
            for number in 0..<6 {
                group.addTask {
                    try await store.write(returning: .position) { tx in try tx.insert(sensor(number)) }.position
                }
            }
            await gate.open(after: 6)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try store.environmentInfo().lastTransactionID == before + 1)
        #expect(Set(positions.map(\.sequence)) == Set(first + 1...first + 6))
        for position in positions {
            let entry = try store.changeSet(position.sequence)
            #expect(entry?.changes.count == 1)
            #expect(entry?.hash == position.hash)
        }
        #expect(try store.findings() == [])
    }

    @Test func `one that throws is undone alone, and its caller gets its own error`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let first = try store.position.sequence
        let gate = await Gate.closed(before: store)
        let failures = await withTaskGroup(of: OwnError?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do {
                        try await store.write { tx in
                            try tx.insert(sensor(number))
                            if number % 2 == 1 { throw OwnError(number: number) }
                        }
                        return nil
                    } catch {
                        return error as? OwnError
                    }
                }
            }
            await gate.open(after: 6)
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(failures.compactMap { $0?.number }) == [1, 3, 5])
        #expect(try store.all(Sensor.self).map(\.id) == ["s0", "s2", "s4"])
        #expect(try store.position.sequence == first + 3)
        #expect(try store.findings() == [])
    }

    @Test func `no more closures than the limit allows are committed together`() async throws {
        var options = StoreOptions()
        options.limits.batchedWrites = 2
        let store = try Store.temporary(records: Sensor.self, options: options)
        let before = try store.environmentInfo().lastTransactionID
        let gate = await Gate.closed(before: store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { try await store.write { tx in try tx.insert(sensor(number)) } } }
            await gate.open(after: 5)
            try await group.waitForAll()
        }
        #expect(try store.environmentInfo().lastTransactionID == before + 3)
    }

    @Test func `withdrawn writes take no place in a full queue`() async throws {
        var options = StoreOptions()
        options.limits.queuedWrites = 2
        let store = try Store.temporary(records: Sensor.self, options: options)
        let gate = await Gate.closed(before: store)
        let withdrawn = (0..<2).map { number in Task { try await store.write { try $0.insert(sensor(number)) } } }
        await gate.waits(for: 2)
        #expect(await storeError { try await store.write { try $0.insert(sensor(2)) } }?.code == .queueFull)
        for task in withdrawn {
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
        // Queued at once, while the writer is still busy.
        let last = Task.immediate { try await store.write { try $0.insert(sensor(3)) } }
        await gate.open(after: 1)
        _ = try await last.value
        #expect(try store.all(Sensor.self).map(\.id) == ["s3"])
    }

    @Test func `cancelling withdraws a waiting write and leaves the others`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let gate = await Gate.closed(before: store)
        let cancelled = Task { try await store.write { tx in try tx.insert(sensor(1)) } }
        await gate.waits(for: 1)
        let kept = Task { try await store.write { tx in try tx.insert(sensor(2)) } }
        await gate.waits(for: 2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await gate.open()
        _ = try await kept.value
        #expect(try store.all(Sensor.self).map(\.id) == ["s2"])
    }

    @Test func `a task that is cancelled already writes nothing`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        let gate = await Gate.closed(before: store)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await store.write { tx in try tx.insert(sensor(1)) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await gate.open()
        #expect(try store.all(Sensor.self) == [])
    }

    @Test func `closing waits for the writes that are queued`() async throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        let gate = await Gate.closed(before: store)
        let writes = (0..<3).map { number in
            Task { try await store.write { tx in try tx.insert(sensor(number)) } }
        }
        await gate.waits(for: 3)
        let closing = Task { await BlockingWork.run { store.close() } }
        while storeError({ try store.requireOpen() }) == nil { try await nextTurn() }
        await gate.open()
        for write in writes { _ = try await write.value }
        await closing.value
        let error = await storeError { try await store.write { _ in } }
        #expect(error?.code == .closed)
        #expect(storeError { try store.read { _ in } }?.code == .closed)
        store.close()
        let again = try Store(at: folder.path, records: Sensor.self)
        #expect(try again.all(Sensor.self).count == 3)
        again.close()
    }

    @Test func `a full queue refuses the next write and keeps the others`() async throws {
        var options = StoreOptions()
        options.limits.queuedWrites = 2
        let store = try Store.temporary(records: Sensor.self, options: options)
        let gate = await Gate.closed(before: store)
        let writes = (0..<2).map { number in
            Task { try await store.write { tx in try tx.insert(sensor(number)) } }
        }
        await gate.waits(for: 2)
        let refused = await storeError { try await store.write { tx in try tx.insert(sensor(9)) } }
        #expect(refused?.code == .queueFull)
        #expect(refused?.remedy != nil)
        await gate.open()
        for write in writes { _ = try await write.value }
        #expect(try store.all(Sensor.self).count == 2)
    }

    @Test func `a writer reads what it wrote, and positions increase`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var last: UInt64 = 0
                    for number in 0..<25 {
                        let mine = sensor(writer * 100 + number)
                        let committed = try await store.write(returning: .position) { tx in try tx.insert(mine) }
                        #expect(committed.position.sequence > last)
                        last = committed.position.sequence
                        #expect(try store.get(Sensor.self, id: mine.id) == mine)
                        #expect(try store.position.sequence >= last)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try store.all(Sensor.self).count == 200)
        #expect(try store.findings() == [])
    }
}
