import Foundation
import ModelStore
import ModelStoreReplay
import ModelStoreTesting
import StoreEngine
import StoreRuntime
import Testing

@Suite("The same seed") struct DeterminismTests {
    private func trace(seed: UInt64, to path: String) async throws {
        let clock = TestClock()
        let store = try Store.temporary(
            records: Room.self, Sensor.self, Ticket.self, options: .deterministic(seed: seed, clock: clock))
        var history = RandomHistory(seed: seed, store)
        for _ in 0..<30 {
            clock.advance(by: .milliseconds(1_500))
            try await history.write()
        }
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: path, options: options)
    }

    @Test(arguments: [1, 7, 99] as [UInt64])
    func `gives the same trace byte for byte`(seed: UInt64) async throws {
        let folder = try Folder()
        try await trace(seed: seed, to: folder.file("a"))
        try await trace(seed: seed, to: folder.file("b"))
        #expect(try folder.read("a") == folder.read("b"))
        #expect(try await Replayer.replay(folder.file("a")).hasEqualHashes)
    }

    /// The traces of other machines and of earlier versions of the library. Another hash means that traces, or the random streams
    /// that transactions have, are not what they were.
    @Test func `gives the trace that it gives on other machines`() async throws {
        let folder = try Folder()
        try await trace(seed: 5, to: folder.file("a"))
        let bytes = try folder.read("a")
        let hash = unsafe XXH64.hash(bytes.span.bytes)
        #expect(String(hash, radix: 16) == "dc6bf8e9c7e98cca")
    }
}
