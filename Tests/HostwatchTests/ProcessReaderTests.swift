import Foundation
import Testing

@testable import Hostwatch

@Suite("Processes")
struct ProcessReaderTests {
    private static let numbers = "S 41 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 7 0 123456 8192000 300 184467440737"
    private static let status =
        "Name:\tx\\nUid:\nUmask:\t0022\nState:\tS (sleeping)\nUid:\t1000\t33\t1000\t1000\nVmRSS:\t    1234 kB\n"

    @Test(
        "names may hold spaces, parentheses and line feeds",
        arguments: ["x", "", "a b", "a) R 1 (b", ")", "((", "a\nb", "é"])
    func names(name: String) throws {
        let stat = try #require(ProcessStat(Array("42 (\(name)) \(Self.numbers)\n".utf8)))
        #expect(stat.pid == 42)
        #expect(stat.name == name)
        #expect(stat.state == .sleeping)
        #expect(stat.parent == 41)
        #expect(stat.userTicks == 250)
        #expect(stat.systemTicks == 50)
        #expect(stat.threads == 7)
        #expect(stat.startTicks == 123_456)
        #expect(stat.virtualBytes == 8_192_000)
    }

    @Test(
        "what is no stat file is refused",
        arguments: [
            "", "42", "42 (x", "42 x) S 1", "42 (x) S 1 2", ") (", "x (x) " + numbers,
            "42 (x) SS" + numbers.dropFirst(),
        ])
    func damagedStat(text: String) { #expect(ProcessStat(Array(text.utf8)) == nil) }

    @Test("every letter of the kernel has a state")
    func states() {
        let letters = Array("RSDTtZXxIPKW?".utf8)
        #expect(
            letters.map { ProcessState(letter: $0) } == [
                .running, .sleeping, .waitingForDisk, .stopped, .traced, .zombie, .dead, .dead, .idle, .parked,
                .waitingForDisk, .waitingForDisk, .unknown,
            ])
    }

    @Test("user and memory come from the status file")
    func statusFile() {
        let status = ProcessStatus(Array(Self.status.utf8))
        #expect(status?.userID == 33)
        // A product of literals alone would be an Int, compared as AnyHashable.
        let expected: UInt64 = 1234 * 1024
        #expect(status?.residentBytes == expected)
        #expect(ProcessStatus(Array("Uid:\t0\t0\t0\t0\n".utf8))?.residentBytes == 0)
        #expect(ProcessStatus([]) == nil)
    }

    @Test("arguments end with zero bytes, and empty ones count")
    func commandLines() {
        #expect(parseCommandLine([]) == [])
        #expect(parseCommandLine(Array("ls\0-l\0".utf8)) == ["ls", "-l"])
        #expect(parseCommandLine(Array("a\0\0b c\0\0".utf8)) == ["a", "", "b c", ""])
        #expect(parseCommandLine(Array("nginx: worker".utf8)) == ["nginx: worker"])
        #expect(parseBootTime(Array("cpu 1 2\nbtime 1700000000\nprocesses 3\n".utf8)) == 1_700_000_000)
        #expect(parseBootTime([]) == nil)
    }

    @Test("a process that vanishes midway is left out, a damaged one is an error")
    func fixture() throws {
        let files = try TemporaryFiles([
            "stat": "btime 1700000000\n", "uptime": "1 1", "42/stat": "42 (a b) \(Self.numbers)\n",
            "42/status": Self.status, "42/cmdline": "a\0b\0", "43/stat": "43 (x) \(Self.numbers)\n", "self/stat": "",
        ])
        var reader = ProcessReader(procPath: files.path, ticksPerSecond: 100)
        #expect(
            try reader.read() == [
                HostProcess(
                    pid: 42, startTicks: 123_456, parent: 41, name: "a b", commandLine: ["a", "b"], userID: 33,
                    state: .sleeping, residentBytes: 1234 * 1024, virtualBytes: 8_192_000, cpuSeconds: 3, threads: 7,
                    started: Date(timeIntervalSince1970: 1_700_001_234.56))
            ])
        let damaged = try TemporaryFiles(["stat": "btime 1\n", "42/stat": "42", "42/status": "", "42/cmdline": ""])
        reader.procPath = damaged.path
        #expect(throws: HostReadError.self) { try reader.read() }
        reader.procPath = "/nowhere"
        #expect(throws: HostReadError.self) { try reader.read() }
    }

    @Test("this process is among those of this machine, as it is")
    func thisMachine() throws {
        let processes = try ProcessReader().read()
        let own = try #require(processes.first { $0.pid == getpid() })
        #expect(own.parent == getppid())
        #expect(own.userID == geteuid())
        #expect(own.commandLine == CommandLine.arguments)
        #expect(own.residentBytes > 1 << 20 && own.residentBytes < own.virtualBytes)
        #expect(own.threads >= 1)
        #expect(own.cpuSeconds > 0)
        #expect(own.started < Date(timeIntervalSinceNow: 2) && own.started > Date(timeIntervalSinceNow: -86_400))
        #expect(Set(processes.map { "\($0.pid)/\($0.startTicks)" }).count == processes.count)
        #expect(processes.contains { $0.pid == 1 })
    }

    @Test("a process with a hostile name is read as it is")
    func hostileName() throws {
        let files = try TemporaryFiles([:])
        try FileManager.default.createDirectory(atPath: files.path, withIntermediateDirectories: true)
        let program = files.path + "/a) R (\nb"
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["60"]
        try process.run()
        defer {
            // The environment of the tests may make children ignore gentler signals.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        let pid = process.processIdentifier
        func read() throws -> HostProcess {
            try #require(try ProcessReader().read().first { $0.pid == pid })
        }
        var found = try read()
        // A starting program has its name a moment before its arguments.
        for _ in 0..<10_000 where found.commandLine.isEmpty { found = try read() }
        #expect(found.name == "a) R (\nb")
        #expect(found.commandLine == [program, "60"])
        #expect(found.parent == getpid())
        #expect(found.state == .sleeping || found.state == .running)
    }
}
