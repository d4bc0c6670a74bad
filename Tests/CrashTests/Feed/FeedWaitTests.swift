import ChildPrograms
import Foundation
import Testing

/// Waiting for writes of another process.
@Suite(.timeLimit(.minutes(20))) struct FeedWaitTests {
    /// Returns the positions of a process that writes these items.
    private static func positions(_ directory: String, _ first: Int, _ last: Int) throws -> [String] {
        let lines = try Command.run(FeedWorker.path, ["script", directory, String(first), String(last)])
        #expect(lines.last == "done" && lines.count == last - first + 2)
        return Array(lines.dropLast())
    }

    @Test(arguments: [true, false])
    func `a process waits for what another has yet to write, and reads it, also where the wake file cannot be used`(
        hasWakeFile: Bool
    ) throws {
        let directory = try ScratchDirectory()
        // A store with the same writes predicts the positions of the other store.
        let ahead = try Self.positions(directory.path("ahead"), 1, 4)
        let store = directory.path("store")
        if !hasWakeFile {
            try FileManager.default.createDirectory(
                atPath: store + "/feed.wake", withIntermediateDirectories: true)
        }
        #expect(try Self.positions(store, 1, 1) == [ahead[0]])
        let waiting = try FeedWorker.start(["await", store])
        waiting.send(ahead[3])
        #expect(waiting.nextLine() == "waits")
        #expect(try Self.positions(store, 2, 3) == [ahead[1], ahead[2]])
        #expect(waiting.linesSoFar() == [])
        #expect(try Self.positions(store, 4, 4) == [ahead[3]])
        #expect(waiting.nextLine() == "reached 4")
        // These writes are already present.
        waiting.send(ahead[1])
        #expect(waiting.nextLine() == "waits")
        #expect(waiting.nextLine() == "reached 4")
        waiting.kill()
        try waiting.wait()
    }

    @Test func `a process waits for a consumer that another runs, though its filter lets nothing through`() throws {
        let directory = try ScratchDirectory()
        let store = directory.path("store")
        _ = try Self.positions(store, 1, 1)
        let consuming = try FeedWorker.start(["pass", store])
        #expect(consuming.nextLine() == "active")
        for number in 2...6 {
            let position = try #require(try Self.positions(store, number, number).first)
            #expect(try Command.run(FeedWorker.path, ["passed", store, position]) == ["done"])
        }
        // The wait begins before there is anything to pass.
        let ahead = try #require(try Self.positions(directory.path("ahead"), 1, 7).last)
        let waiting = try FeedWorker.start(["passed", store, ahead])
        #expect(try Self.positions(store, 7, 7) == [ahead])
        #expect(waiting.nextLine() == "done")
        #expect(try waiting.wait() == .exit(0))
        #expect(try FeedWorker.stop(consuming) == [])
    }
}
