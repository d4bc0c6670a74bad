import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Two processes write and three compete for the same consumers. The test kills each of them repeatedly.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct FeedKillTests {
    private static let lanes = ["a", "b"]

    private func startWriter(
        _ lane: String, _ directory: ScratchDirectory, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try FeedWorker.start(["write", directory.path("store"), lane], environment: environment)
    }

    @Test(arguments: [true, false])
    func
        `whoever is killed when, effects in the store happen once, others at least once and in order, by one at a time`(
            hasRedoLog: Bool
        ) throws
    {
        var random = TestRandom(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        var writers: [String: ChildProcess] = [:]
        for lane in Self.lanes {
            let writer = try startWriter(lane, directory, environment: hasRedoLog ? [:] : ["NO_REDO_LOG": "1"])
            writers[lane] = writer
            // The first process creates the store.
            if lane == Self.lanes[0] { #expect(writer.nextLine()?.hasPrefix("ack") == true) }
        }
        var consumers = try ConsumerGroup(3, directory: directory)
        let killCount = TestLength.isLong ? 5_000 : hasRedoLog ? 100 : 40
        for number in 1...killCount {
            // The successor ends before a random write or sync of the data file, counted from its start.
            let operation = Bool.random(using: &random) ? Int.random(in: 1...60, using: &random) : nil
            if Bool.random(using: &random) {
                try killConsumer(&consumers, doomedAt: operation, library, &random)
            } else {
                let lane = try #require(Self.lanes.randomElement(using: &random))
                let victim = try #require(writers[lane])
                try kill(writer: victim, of: lane, after: Int.random(in: 0...4, using: &random))
                if let operation {
                    let doomed = try startWriter(lane, directory, environment: library.environment(killAt: operation))
                    _ = doomed.remainingLines()
                    #expect(try doomed.wait() == .signal(SIGKILL), "before operation \(operation)")
                }
                writers[lane] = try startWriter(lane, directory)
            }
            if number % 500 == 0 { TestRun.noteProgress("\(number) of \(killCount) kills") }
        }
        for writer in writers.values { _ = try FeedWorker.stop(writer) }
        let lanes = try settle(directory)
        try consumers.stop()
        #expect(consumers.faults == [], "MODELSTORE_SEED=\(TestRun.seed)")
        #expect(consumers.takeovers > 0)
        try compare(lanes, directory)
        #expect(FileManager.default.fileExists(atPath: directory.path("store/redo.log")) == hasRedoLog)
        let written = lanes.map(\.last).reduce(0, +)
        TestRun.note(
            "\(killCount) kills of writers and consumers \(hasRedoLog ? "with" : "without") a redo log: "
                + "\(written) items, \(consumers.takeovers) takeovers by who waited; MODELSTORE_SEED=\(TestRun.seed)")
    }

    private func kill(writer: ChildProcess, of lane: String, after count: Int) throws {
        for _ in 0..<count {
            let line = try #require(writer.nextLine(), "\(lane) says nothing; MODELSTORE_SEED=\(TestRun.seed)")
            try #require(!line.hasPrefix("failed"), "\(lane): \(line); MODELSTORE_SEED=\(TestRun.seed)")
        }
        writer.kill()
        #expect(try writer.wait() == .signal(SIGKILL))
    }

    /// Kills one of the consumers, or lets a single one end itself.
    private func killConsumer(
        _ consumers: inout ConsumerGroup, doomedAt operation: Int?, _ library: SyncLogLibrary,
        _ random: inout TestRandom
    ) throws {
        // Sometimes the victim holds nothing yet, or others are taking over.
        if Bool.random(using: &random) { try consumers.waitUntilHeld() }
        let places = consumers.places
        if let operation, operation % 3 == 0 {
            try consumers.runDoomed(operation: operation, library)
            for place in places { try consumers.start(place) }
        } else {
            let place = try #require(places.randomElement(using: &random))
            try consumers.kill(place, isAwaited: Bool.random(using: &random))
            try consumers.start(place)
        }
    }

    /// The stored state of a lane.
    private struct LaneState {
        let name: String
        let last: Int
        let items: Int
        let counted: Int
        let lastCounted: Int
        let faults: Int
    }

    /// Waits until the consumers have seen everything, and returns the content of the store.
    private func settle(_ directory: ScratchDirectory) throws -> [LaneState] {
        let deadline = Date(timeIntervalSinceNow: 120)
        while true {
            let lines = try Command.run(FeedWorker.path, ["check", directory.path("store")])
            let lanes = lines.dropLast().compactMap { line -> LaneState? in
                let words = line.split(separator: " ").map(String.init)
                let numbers = words.dropFirst(2).compactMap { Int($0) }
                guard words.first == "lane", numbers.count == 5 else { return nil }
                return LaneState(
                    name: words[1], last: numbers[0], items: numbers[1], counted: numbers[2], lastCounted: numbers[3],
                    faults: numbers[4])
            }
            let isDone = lanes.count == 2 && lanes.allSatisfy { $0.counted >= $0.last } && isLogged(lanes, directory)
            if isDone || Date() > deadline { return lanes }
        }
    }

    private func isLogged(_ lanes: [LaneState], _ directory: ScratchDirectory) -> Bool {
        guard let text = try? String(contentsOfFile: directory.path("log"), encoding: .utf8) else { return false }
        return lanes.allSatisfy { text.contains(" \($0.name)-\($0.last)\n") }
    }

    private func compare(_ lanes: [LaneState], _ directory: ScratchDirectory) throws {
        #expect(lanes.map(\.name) == Self.lanes)
        for lane in lanes {
            #expect(lane.items == lane.last && lane.counted == lane.last && lane.lastCounted == lane.last, "\(lane)")
            #expect(lane.faults == 0, "\(lane); MODELSTORE_SEED=\(TestRun.seed)")
        }
        // Effects outside of the store occur at least once, under one key, and first in the order of the feed.
        let log = try FeedLog(directory.path("log"))
        #expect(log.faults == [], "MODELSTORE_SEED=\(TestRun.seed)")
        for lane in lanes {
            #expect(log.items[lane.name] == Array(1...lane.last), "lane \(lane.name); MODELSTORE_SEED=\(TestRun.seed)")
        }
    }
}
