import Foundation
@testable import Livepage
import ModelStore
import Synchronization
import Testing

/// Clients that come and go in every possible way, while the store changes all the time.
@Suite(.serialized, .timeLimit(.minutes(15))) struct DropTests {
    /// The number of clients in total, and the most at one time.
    private static let count = 1_000
    private static let mostAtATime = 120

    /// The most additional memory of its own that a service may have after all clients, compared with the first few hundred.
    ///
    /// The service releases each client's objects, which the report shows exactly. The memory that the allocator keeps,
    /// fragmented by many threads, is less exact: three runs had 2.9, 3.3 and 3.8 MiB more. A connected client takes 27 KiB, so
    /// the test would detect clients that left a third of it behind.
    private static let toleranceByteCount = 8 << 20

    @Test func `a thousand clients that are dropped at random, some of them killed, leave nothing`() throws {
        TestRun.note("seed \(TestRun.seed)")
        let service = try Service(heartbeat: 0.5)
        let descriptorCount = try service.descriptorCount()
        let load = try WriteLoad(service)
        var crowd = Crowd(service, seed: TestRun.seed)

        // The first few hundred clients create everything that is created once, and bring the allocator's arenas to their size.
        try crowd.run(count: 300, mostAtATime: Self.mostAtATime)
        _ = try service.waitUntilEmpty(seconds: 60)
        try service.waitUntilIdle(descriptorCount: descriptorCount)
        let before = try Level(service)
        try crowd.run(count: Self.count, mostAtATime: Self.mostAtATime)
        let report = try service.waitUntilEmpty(seconds: 60)
        // The service takes longer to detect clients that sent no request and vanished silently.
        try service.waitUntilIdle(descriptorCount: descriptorCount)
        let after = try Level(service)
        TestRun.note("\(crowd.summary); \(load.count) commits; before: \(before), after: \(after)")

        #expect(report.scopes.map(\.path) == ["livepage"])
        #expect(report.scopes.first?.taskCount == 0 && report.scopes.first?.pinCount == 0)
        #expect(report.leaks.isEmpty && report.objects.isEmpty)
        #expect(try service.http.get("/metrics").body.contains("\nlivepage_live_queries 0\n"))
        #expect(service.notices == [])
        #expect(after.byteCount < before.byteCount + Self.toleranceByteCount)
        #expect(after.threadCount <= before.threadCount + 2)

        // A new client now receives the current rows.
        let last = try service.client()
        try load.stop()
        let rows = try load.rows()
        try last.read { $0 == rows }
    }
}

/// The resources that a service uses.
private struct Level: CustomStringConvertible {
    let byteCount: Int
    let threadCount: Int
    let descriptorCount: Int

    init(_ service: Service) throws {
        byteCount = try service.anonymousByteCount()
        threadCount = try service.threadCount()
        descriptorCount = try service.descriptorCount()
    }

    var description: String {
        "\(byteCount >> 10) KiB, \(threadCount) threads, \(descriptorCount) descriptors"
    }
}
