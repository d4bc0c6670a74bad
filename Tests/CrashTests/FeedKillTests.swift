import ChildPrograms
import Foundation
import Testing

/// Two processes write, one consumes, and each is killed again and again.
@Suite(.serialized, .timeLimit(.minutes(TestRun.isLong ? 60 : 5))) struct FeedKillTests {
    private static let path = (CrashWorker.path as NSString).deletingLastPathComponent + "/FeedWorker"

    /// Who takes part: what it is started with.
    private enum Role: CaseIterable {
        case first, second, consumer

        func arguments(_ directory: ScratchDirectory) -> [String] {
            switch self {
            case .first: ["write", directory.path("store"), "a"]
            case .second: ["write", directory.path("store"), "b"]
            case .consumer: ["consume", directory.path("store"), directory.path("log")]
            }
        }
    }

    private func start(
        _ role: Role, _ directory: ScratchDirectory, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(Self.path, role.arguments(directory), environment: environment)
    }

    @Test func `whoever is killed when, effects in the store happen once, others at least once, in order`() throws {
        var random = SeededGenerator(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        var running: [Role: ChildProcess] = [:]
        for role in Role.allCases {
            let child = try start(role, directory)
            running[role] = child
            // The first makes the store.
            if role == .first { #expect(child.nextLine()?.hasPrefix("ack") == true) }
        }
        let kills = TestRun.isLong ? 5_000 : 120
        for kill in 1...kills {
            let role = try #require(Role.allCases.randomElement(using: &random))
            let victim = try #require(running[role])
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let line = try #require(victim.nextLine(), "\(role) says nothing; MODELSTORE_SEED=\(TestRun.seed)")
                try #require(!line.hasPrefix("failed"), "\(role): \(line); MODELSTORE_SEED=\(TestRun.seed)")
                if role == .consumer { break }
            }
            victim.kill()
            #expect(try victim.wait() == .signal(SIGKILL))
            if Bool.random(using: &random) {
                // Its successor ends right before a write or sync of the data file, as far from its start as is drawn.
                let operation = Int.random(in: 1...60, using: &random)
                let doomed = try start(role, directory, environment: library.environment(killAt: operation))
                _ = doomed.remainingLines()
                #expect(try doomed.wait() == .signal(SIGKILL), "before operation \(operation)")
            }
            running[role] = try start(role, directory)
            if kill % 500 == 0 { TestRun.noteProgress("\(kill) of \(kills) kills") }
        }
        for role in [Role.first, .second] { try stop(try #require(running[role])) }
        let lanes = try settle(directory)
        try stop(try #require(running[.consumer]))
        try compare(lanes, directory)
        let written = lanes.map(\.last).reduce(0, +)
        TestRun.note("\(kills) kills of writers and consumer: \(written) items; MODELSTORE_SEED=\(TestRun.seed)")
    }

    private func stop(_ child: ChildProcess) throws {
        child.send("stop")
        let lines = child.remainingLines()
        #expect(lines.last == "done", "\(lines.suffix(3))")
        #expect(try child.wait() == .exit(0))
    }

    /// A lane as the store has it.
    private struct LaneState {
        let name: String
        let last: Int
        let items: Int
        let counted: Int
        let lastCounted: Int
        let faults: Int
    }

    /// Waits until the consumer has seen everything, and gives what the store holds then.
    private func settle(_ directory: ScratchDirectory) throws -> [LaneState] {
        let deadline = Date(timeIntervalSinceNow: 120)
        while true {
            let lines = try Command.run(Self.path, ["check", directory.path("store")])
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
        #expect(lanes.count == 2)
        for lane in lanes {
            #expect(lane.items == lane.last && lane.counted == lane.last && lane.lastCounted == lane.last, "\(lane)")
            #expect(lane.faults == 0, "\(lane); MODELSTORE_SEED=\(TestRun.seed)")
        }
        // Elsewhere: each at least once, under one key, first seen in order. A line that a kill cut short was not written.
        var keys: [String: String] = [:]
        var order: [String: [Int]] = [:]
        for line in try String(contentsOfFile: directory.path("log"), encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let (key, id) = (try #require(words.first), try #require(words.last))
            if let known = keys[id] {
                #expect(known == key, "\(id) came under two keys")
                continue
            }
            keys[id] = key
            let parts = id.split(separator: "-")
            order[String(parts[0]), default: []].append(try #require(Int(parts[1])))
        }
        #expect(Set(keys.values).count == keys.count)
        for lane in lanes {
            #expect(order[lane.name] == Array(1...lane.last), "lane \(lane.name); MODELSTORE_SEED=\(TestRun.seed)")
        }
    }
}
