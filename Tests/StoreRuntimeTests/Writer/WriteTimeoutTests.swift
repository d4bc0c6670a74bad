import ChildPrograms
import Foundation
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Writes that wait for another process.
@Suite(
    .timeLimit(.minutes(TestLength.waitMinutes)), .enabled(if: Python.interpreter != nil, "needs Python with py-lmdb")
)
struct WriteTimeoutTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func sensor(_ number: Int) -> Sensor { Sensor(id: "s\(number)", room: "r", serial: "\(number)") }

    private func expectTimeout<T>(naming process: Int32, _ body: () async throws -> T) async {
        let error = await #expect(throws: StoreError.self) { _ = try await body() }
        #expect(error?.code == .writeTimeout)
        #expect(error?.message.contains("process \(process) (python") == true)
    }

    @Test func `a write that does not begin in time is withdrawn, and its error names the process that writes`()
        async throws
    {
        let store = try Store(at: folder.path, records: Sensor.self)
        let other = try #require(try LockedWriter(on: folder.path))
        await expectTimeout(naming: other.processID) {
            try await store.write(timeout: .milliseconds(20)) { try $0.insert(sensor(1)) }
        }
        await expectTimeout(naming: other.processID) {
            try await BlockingWork.run { try store.write(timeout: .milliseconds(20)) { try $0.insert(sensor(2)) } }
        }
        // A write without its own timeout keeps waiting.
        async let patient = store.write { try $0.insert(sensor(3)) }
        try other.release()
        _ = try await patient
        #expect(try store.all(Sensor.self).map(\.id) == ["s3"])
        // A timeout that does not expire has no effect.
        try await store.write(timeout: .seconds(60)) { try $0.insert(sensor(4)) }
        _ = try await BlockingWork.run { try store.write(timeout: .seconds(60)) { try $0.insert(sensor(5)) } }
        #expect(try store.count(Sensor.self) == 3)
    }

    @Test func `the option limits writes, actions and the opening`() async throws {
        try Store(at: folder.path, records: Sensor.self).close()
        var options = StoreOptions()
        options.writeTimeout = .milliseconds(20)
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        let other = try #require(try LockedWriter(on: folder.path))
        await expectTimeout(naming: other.processID) { try await store.write { try $0.insert(sensor(1)) } }
        store.close()
        // Opening with an unknown type has to write; opening with known types does not.
        #expect {
            _ = try Store(at: folder.path, records: Sensor.self, Slot.self, options: options)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .writeTimeout && error.message.contains("process \(other.processID)")
        }
        try Store(at: folder.path, records: Sensor.self, options: options).close()
        try other.release()
        try Store(at: folder.path, records: Sensor.self, Slot.self, options: options).close()
    }

    @Test func `a write that waits long is reported with the process that writes, once`() async throws {
        let events = Mutex<[StoreEvent]>([])
        let (reports, continuation) = AsyncStream<Int32?>.makeStream()
        var options = StoreOptions()
        options.writerBlockedAfter = .milliseconds(30)
        options.onEvent = { event in
            events.withLock { $0.append(event) }
            if case .writerBlocked(let process, let waited) = event {
                #expect(waited >= .milliseconds(30))
                continuation.yield(process)
            }
        }
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        let other = try #require(try LockedWriter(on: folder.path))
        async let written = store.write { try $0.insert(sensor(1)) }
        var iterator = reports.makeAsyncIterator()
        #expect(await iterator.next() == other.processID)
        try other.release()
        _ = try await written
        let count = events.withLock { events in
            events.count { if case .writerBlocked = $0 { true } else { false } }
        }
        #expect(count == 1)
    }

    @Test func `a batch waits for another process until its last deadline, and without end if a write has none`() throws
    {
        let origin = Origin(name: "test", processID: 1)
        func job(_ timeout: Duration?) -> WriteJob {
            WriteJob(
                durability: .full, timeout: timeout,
                context: WriteContext(time: .now, seed: 0, origin: origin, token: 0)
            ) { _ in }
        }
        for batch in [[job(.milliseconds(1)), job(.seconds(600))], [job(.seconds(600)), job(.milliseconds(1))]] {
            #expect(try #require(WriteJob.patience(batch)) > .seconds(60))
        }
        #expect(WriteJob.patience([job(.seconds(600)), job(nil)]) == nil)
    }
}
