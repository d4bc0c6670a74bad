import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Programs that migrate a store with a plan, as processes.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct PlanTests {
    private static let count = 2_000

    /// Fills a store of the plan's first version, and returns the program of that version, which has it open.
    private static func fill(_ store: String) throws -> ChildProcess {
        let first = try VersionWorker.start("plan1", store)
        #expect(first.nextLine() == "ready")
        #expect(first.ask("go") == "open 0 sound")
        try first.wait()
        let old = try VersionTests.opened(1, store)
        #expect(old.ask("fill \(count)") == "done")
        return old
    }

    /// The sum of the counts in each version of the plan.
    private static let sums: [Int] = {
        let counts = (0..<count).map { $0 % 100 }
        return [
            counts.reduce(0, +), counts.reduce(0) { $0 + $1 * 2 },
            counts.filter { $0 % 3 != 0 }.reduce(0) { $0 + $1 * 4 },
        ]
    }()

    private static func open(_ version: String, _ store: String) throws -> String? {
        let program = try VersionWorker.start(version, store)
        #expect(program.nextLine() == "ready")
        return program.ask("go")
    }

    @Test func `of programs that open a store at one moment, one runs the steps of its plan`() throws {
        let directory = try ScratchDirectory()
        let old = try Self.fill(directory.path("store"))
        let programs = try (0..<6).map { _ in try VersionWorker.start("plan2", directory.path("store")) }
        for program in programs { #expect(program.nextLine() == "ready") }
        for program in programs { program.send("go") }
        for program in programs { #expect(program.nextLine() == "open \(Self.sums[1]) sound") }
        #expect(old.ask("verify") == "sound")
    }

    @Test func `a store that has the newest version opens while another program writes`() throws {
        let directory = try ScratchDirectory()
        let old = try Self.fill(directory.path("store"))
        #expect(try Self.open("plan2", directory.path("store")) == "open \(Self.sums[1]) sound")
        #expect(old.ask("hold") == "holding")
        #expect(try Self.open("plan2", directory.path("store")) == "open \(Self.sums[1]) sound")
        #expect(try VersionTests.opened(1, directory.path("store")).ask("verify") == "sound")
        #expect(old.ask("go") == "done")
    }

    @Test
    func `a program that runs while another one's plan replaces its record type is told so, at each write and read`()
        throws
    {
        let directory = try ScratchDirectory()
        let old = try Self.fill(directory.path("store"))
        #expect(try Self.open("plan3", directory.path("store")) == "open \(Self.sums[2]) sound")
        for command in ["count 5 1", "show 5", "count 6 1"] {
            let answer = try #require(old.ask(command))
            #expect(
                answer.hasPrefix(
                    "failed schemaMismatch [schemaMismatch] the store is newer than this program: "
                        + "a migration replaced the record type Item: "),
                "\(answer)")
            #expect(answer.contains("field key: string is only in the store"), "\(answer)")
            #expect(answer.hasSuffix("; use the newer program"), "\(answer)")
        }
        let second = try #require(try Self.open("plan2", directory.path("store")))
        #expect(second.hasPrefix("refused [schemaMismatch] the store has version \"3\""), "\(second)")
        #expect(second.hasSuffix("; use the newer program"), "\(second)")
        let first = try VersionWorker.start("1", directory.path("store"))
        let late = try #require(first.nextLine())
        #expect(late.contains("a migration replaced the record type Item"), "\(late)")
        #expect(late.hasSuffix("; use the newer program"), "\(late)")
        #expect(try Self.open("plan3", directory.path("store")) == "open \(Self.sums[2]) sound")
    }

    @Test(arguments: [true, false])
    func `a plan whose program is killed runs whole and once, whenever that was`(atFileOperation: Bool) throws {
        var random = TestRandom(seed: TestRun.seed)
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let directory = try ScratchDirectory()
        let original = directory.path("store")
        let old = try Self.fill(original)
        old.kill()
        try old.wait()
        // Measures the duration of the whole run, to choose random moments from.
        let whole = directory.path("whole")
        try FileManager.default.copyItem(atPath: original, toPath: whole)
        let timed = try VersionWorker.start("plan3", whole)
        #expect(timed.nextLine() == "ready")
        let begin = ContinuousClock.now
        #expect(timed.ask("go") == "open \(Self.sums[2]) sound")
        var span = (ContinuousClock.now - begin) / .microseconds(1)
        var kills = 0
        let rounds = TestLength.isLong ? 500 : 20
        for round in 0..<rounds {
            let store = directory.path("copy \(round)")
            try FileManager.default.copyItem(atPath: original, toPath: store)
            let operation = Int.random(in: 1...12, using: &random)
            let victim = try VersionWorker.start(
                "plan3", store, environment: atFileOperation ? library.environment(killAt: operation) : [:])
            _ = victim.nextLine()
            victim.send("go")
            // There is no event to wait for, so the moment is random.
            let moment = Double.random(in: 0...1, using: &random) * span
            if !atFileOperation {
                usleep(UInt32(moment))
                victim.kill()
            }
            _ = victim.remainingLines()
            let isKilled = try victim.wait() == .signal(SIGKILL)
            if isKilled { kills += 1 }
            // The whole run takes as long as the machine is busy. A run that ended before its kill shows that it was shorter.
            span = isKilled ? span * 1.1 : moment
            for _ in 0..<2 {
                let answer = try Self.open("plan3", store)
                #expect(
                    answer == "open \(Self.sums[2]) sound",
                    "\(atFileOperation ? "operation \(operation)" : "round \(round)"); MODELSTORE_SEED=\(TestRun.seed)")
            }
            try FileManager.default.removeItem(atPath: store)
        }
        #expect(kills > rounds / 4)
        TestRun.note("\(kills) kills in a plan; MODELSTORE_SEED=\(TestRun.seed)")
    }
}
