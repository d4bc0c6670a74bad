import Foundation
import LMDB
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

    /// Traces from other machines and earlier versions of the library. A different hash means that the traces, or the random
    /// streams of transactions, have changed.
    @Test func `gives the trace that it gives on other machines`() async throws {
        let folder = try Folder()
        try await trace(seed: 5, to: folder.file("a"))
        let hash = try Self.hash(ofFramesIn: folder.read("a"))
        #expect(hash == "e56266144c499cd2")
    }

    /// Hashes a trace without its header, which names the library's version, and without its checksums, which depend on the
    /// header.
    private static func hash(ofFramesIn trace: [UInt8]) -> String {
        let lines = String(decoding: trace, as: UTF8.self).split(separator: "\n").dropFirst()
        let frames = lines.filter { !$0.hasPrefix(#"{"check":"#) }.joined(separator: "\n")
        return String(unsafe XXH64.hash(Array(frames.utf8).span.bytes), radix: 16)
    }

    /// Records two subscribers and three writers.
    ///
    /// - Parameter isSlow: Whether each writer waits until its write is in the file, so that the recorder collects little at a
    ///   time.
    private func recording(seed: UInt64, to path: String, isSlow: Bool) async throws {
        let store = try Store.temporary(
            records: Room.self, Sensor.self, Ticket.self,
            options: .deterministic(seed: seed, worksOnCallers: true))
        try await SeededExecutor(seed: seed).run {
            let recorder = try await Recorder(store, to: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await update in store.updates(of: FetchRequest<Ticket>()) where update.results.count == 12 {
                        return
                    }
                }
                group.addTask {
                    let request = Ticket.order { $0.number.descending }.limit(3)
                    for try await update in store.updates(of: request) where update.results.first?.number == 12 {
                        return
                    }
                }
                for writer in 0..<3 {
                    group.addTask {
                        for turn in 0..<4 {
                            let made = try await store.send(AddTicket(text: "\(writer).\(turn)"), returning: .position)
                            if isSlow { try Self.wait(for: #"{"commit":\#(made.position.sequence),"#, in: path) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await recorder.finish()
        }
        store.close()
    }

    /// Blocks until a file contains a text. A suspension would let another task of the schedule run.
    private static func wait(for text: String, in path: String) throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while ContinuousClock.now < deadline {
            if try String(contentsOfFile: path, encoding: .utf8).contains(text) { return }
            usleep(1_000)
        }
        Issue.record("the recorder did not write \(text)")
    }

    @Test(arguments: [1, 7] as [UInt64])
    func `gives the same trace of a recorder, however much it writes at a time`(seed: UInt64) async throws {
        let folder = try Folder()
        try await recording(seed: seed, to: folder.file("a"), isSlow: false)
        try await recording(seed: seed, to: folder.file("b"), isSlow: true)
        let text = try String(decoding: folder.read("a"), as: UTF8.self)
        #expect(try text == String(decoding: folder.read("b"), as: UTF8.self))
        #expect(text.contains(#"{"deliver":2,"#))
        #expect(try await Replayer.replay(folder.file("a")).hasEqualHashes)
    }

    @Test func `gives the trace of a recorder that it gives on other machines`() async throws {
        let folder = try Folder()
        try await recording(seed: 5, to: folder.file("a"), isSlow: false)
        let hash = try Self.hash(ofFramesIn: folder.read("a"))
        #expect(hash == "7ca56e7c2cae313d")
    }
}
