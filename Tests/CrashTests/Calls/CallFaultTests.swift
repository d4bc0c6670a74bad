import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Each command of `store-cli`, with a fault at each of its calls of the system. The command ends with a status of its contract
/// and one line of error, or succeeds. The store then has the state before or after the command, and no file is left over.
///
/// `MODELSTORE_SEED` chooses the calls of the short run.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 290 : 10))) struct CallFaultTests {
    /// The commands of the short run: one that only reads, and those that write in different ways.
    private static let few = ["query", "set", "restore"]

    private static let commands = TriedCommand.all.filter { TestLength.isLong || few.contains($0.name) }

    @Test(arguments: commands)
    func `a fault at any call of the C library is an error or has no effect`(command: TriedCommand) throws {
        var random = TestRandom(seed: TestRun.seed)
        let run = try CallFaultRun(command, GivenFiles(), PreloadedInjector())
        var faults = Self.faults(run.counts)
        if !TestLength.isLong { faults = (0..<3).map { _ in random.pick(faults) } }
        try Self.expect(run, faults)
    }

    @Test(.enabled(if: TestLength.isLong, "it takes an hour"), arguments: commands)
    func `a fault at any system call is an error or has no effect`(command: TriedCommand) throws {
        let run = try CallFaultRun(command, GivenFiles(), TracingInjector())
        try Self.expect(run, Self.faults(run.counts))
    }

    @Test(arguments: commands)
    func `a limit on open files is an error and never the end of a command by a signal`(command: TriedCommand) throws {
        let given = try GivenFiles()
        let directory = try ScratchDirectory(inMemory: true)
        for limit in stride(from: 4, through: 28, by: TestLength.isLong ? 1 : 8) {
            let own = directory.path(String(limit))
            try FileManager.default.createDirectory(atPath: own + "/store", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: given.store + "/data.mdb", toPath: own + "/store/data.mdb")
            let script = "ulimit -n \(limit) && exec \"$0\" \"$@\""
            let process = try ChildProcess(
                "/bin/sh",
                ["-c", script, CallFaultRun.program] + command.arguments(given: given.path, own: own),
                mergesErrors: true)
            let lines = process.remainingLines()
            let end = try process.wait()
            #expect(end == .exit(0) || end == .exit(74), "\(limit) files: \(end) \(lines)")
            #expect(end == .exit(0) || lines.count { $0.hasPrefix("error: ") } == 1, "\(limit) files: \(lines)")
        }
    }

    @Test func `the calls in a log of strace are counted, however long the numbers of its threads are`() {
        let log = """
            10001 openat(AT_FDCWD, "a", O_RDONLY) = 3
            987   openat(AT_FDCWD, "b", O_RDONLY <unfinished ...>
            10001 fsync(3) = 0
            987   <... openat resumed>) = 4
            987   openat(AT_FDCWD, "c", O_RDONLY) = 5
            987   +++ exited with 0 +++
            """
        #expect(TracingInjector.counts(inLog: log) == ["openat": 2, "fsync": 1])
    }

    @Test func `every command is tried`() throws {
        let help = try Command.run(CallFaultRun.program, ["--help"])
        let list = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst()
        let names = list.prefix { !$0.isEmpty }.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(names.count > 20)
        // The commands of replication need a server, which the tests of the logs start.
        let untried = Set(names).subtracting(TriedCommand.all.map(\.name))
        #expect(untried == ["replication"])
    }

    /// Returns the faults of all calls, with each error.
    private static func faults(_ counts: [String: Int]) -> [CallFault] {
        counts.sorted { $0.key < $1.key }.flatMap { call, count in
            (1...count).flatMap { number in
                (CallFault.errors[call] ?? []).map { CallFault(call: call, number: number, error: $0) }
            }
        }
    }

    private static func expect(_ run: CallFaultRun, _ faults: [CallFault]) throws {
        var mistakes: [String] = []
        for fault in faults {
            if let mistake = try run.mistake(with: fault) { mistakes.append("\(fault): \(mistake.prefix(600))") }
        }
        TestRun.noteProgress("\(run.command.testDescription): \(faults.count) faults, \(mistakes.count) mistakes")
        #expect(run.counts.values.reduce(0, +) > 20, "the calls were not counted: \(run.counts)")
        #expect(!faults.isEmpty)
        let text = "MODELSTORE_SEED=\(TestRun.seed)\n\(mistakes.prefix(40).joined(separator: "\n"))"
        #expect(mistakes.isEmpty, "\(run.command.testDescription): \(mistakes.count) mistakes, \(text)")
    }
}
