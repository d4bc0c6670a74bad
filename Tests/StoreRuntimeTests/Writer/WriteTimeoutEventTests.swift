import ChildPrograms
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Events for writes that time out while another process holds the write lock.
@Suite(
    .timeLimit(.minutes(TestLength.waitMinutes)), .enabled(if: Python.interpreter != nil, "needs Python with py-lmdb")
)
struct WriteTimeoutEventTests {
    @Test func `a batch whose writes all time out is no failed commit`() async throws {
        let folder = try StoreFolder()
        let failures = Mutex(0)
        var options = StoreOptions()
        options.writeTimeout = .milliseconds(20)
        options.onEvent = { event in
            if case .commitFailed = event { failures.withLock { $0 += 1 } }
        }
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        let other = try #require(try LockedWriter(on: folder.path))
        for number in 0..<3 {
            let error = await #expect(throws: StoreError.self) {
                try await store.write { try $0.insert(Sensor(id: "s\(number)", room: "r", serial: "\(number)")) }
            }
            #expect(error?.code == .writeTimeout)
        }
        try other.release()
        // When the store is closed, the writer thread has finished the last batch.
        store.close()
        #expect(failures.withLock { $0 } == 0)
    }
}
