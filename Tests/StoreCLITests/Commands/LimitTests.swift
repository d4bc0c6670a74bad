import Foundation
import Glibc
import TestSupport
import Testing

/// Limits of the system on a process: descriptors, address space, file size, threads. A command that gets too little ends with an
/// error, changes nothing and leaves nothing behind.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    /// Commands that read, write, and make files.
    private static let commands: [[String]] = [
        ["types"], ["get", "Sensor", "s1"], ["query", "Sensor"], ["export", "Sensor"], ["feed"], ["verify"], ["stat"],
        ["readers"], ["consumers"], ["backup", "copy"], ["compact", "small"], ["record", "trace"],
        ["set", "Sensor", "s1", "room=attic"],
        ["delete", "Sensor", "s2"], ["import", "Sensor", "sensors.jsonl"], ["restore", "original"],
    ]

    /// The short form tries one command that reads, one that writes, and one that makes files.
    private static let tried = TestLength.isLong ? commands : [commands[0], commands[9], commands[12]]

    /// Every status that the contract lists.
    private static let statuses: Set<Int32> = [0, 1, 64, 65, 66, 74, 75, 76, 78]

    private let tool: Tool

    init() throws {
        tool = try Sample.tool()
        try tool.run("backup", "original")
    }

    /// The files of the folder and of the store, except those that each process adds to a store, and those of the runs.
    private var files: Set<String> {
        get throws {
            let manager = FileManager.default
            let outside = try manager.contentsOfDirectory(atPath: tool.folder).filter { !$0.hasPrefix(".") }
            let inside = try manager.contentsOfDirectory(atPath: tool.store).map { "store/" + $0 }
            return Set(outside + inside).subtracting(["store/lock.mdb", "store/feed.wake"])
        }
    }

    /// Runs a command under a limit, as a shell sets it, and checks what holds in any case.
    @discardableResult
    private func run(_ arguments: [String], _ limit: String, as user: Int32? = nil) throws -> Tool.Run {
        let before = try files
        let state = try tool.run("export").output
        var command = ["-c", "\(limit) || exit 99; exec \"$@\"", "bash"]
        if let user { command += ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] }
        let run = try tool.start(command + [Tool.executable] + arguments, program: "/bin/bash").finish()
        let name = "\(arguments.joined(separator: " ")) with \(limit)"
        #expect(Self.statuses.contains(run.status), "\(name): \(run)")
        if run.status == 0 {
            for made in try files.subtracting(before) { try FileManager.default.removeItem(atPath: tool.path(made)) }
        } else {
            #expect(run.errors.hasPrefix("error: "), "\(name): \(run)")
            #expect(try files == before, "\(name)")
            #expect(try tool.run("export").output == state, "\(name)")
        }
        return run
    }

    @Test func `too few descriptors are an error`() throws {
        for command in Self.tried {
            // With fewer, the system's loader cannot open the program's libraries.
            for count in [4, 5, 6, 8, 10, 16, 18] {
                let run = try run(command, "ulimit -n \(count)")
                #expect(run.status == 74 && run.errors.contains("ulimit -n"), "\(command) with \(count): \(run)")
            }
            #expect(try run(command, "ulimit -n 32").status == 0)
        }
    }

    @Test func `a limit on the size of files is an error of the write`() throws {
        for command in Self.tried {
            for blocks in [2, 8, 100] { try run(command, "ulimit -f \(blocks)") }
        }
        let full = try run(["insert", "Log", #"{"text": "more"}"#], "ulimit -f 8")
        #expect(full.status == 74 && full.errors.contains("File too large"), "\(full)")
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] == nil, "a sanitizer maps terabytes"))
    func `too little address space is an error`() throws {
        for command in Self.tried {
            let run = try run(command, "ulimit -v 200000")
            #expect(run.status == 74 && run.errors.contains("ulimit -v"), "\(command): \(run)")
        }
        for command in Self.tried { #expect(try run(command, "ulimit -v 1000000").status == 0) }
    }

    @Test(.enabled(if: geteuid() == 0, "root chooses a user without processes"))
    func `too few threads are an error`() throws {
        // All files belong to the user, as those of a service.
        let user: Int32 = 54_321
        let owned = try tool.start(["-R", String(user), tool.folder], program: "/bin/chown").finish()
        try #require(owned.status == 0)
        for command in Self.tried {
            for count in [1, 2, 3, 5, 8] {
                let run = try run(command, "ulimit -u \(count)", as: user)
                #expect(run.status == 74 && run.errors.contains("ulimit -u"), "\(command) with \(count): \(run)")
            }
        }
    }

    /// The kernel's groups of processes, in either version; nil if this process cannot make a group with a limit on processes.
    private static let groups: String? = ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"].first { folder in
        let trial = folder + "/modelstore-trial-\(getpid())"
        guard unsafe mkdir(trial, 0o700) == 0 else { return false }
        defer { _ = unsafe rmdir(trial) }
        return unsafe access(trial + "/pids.max", W_OK) == 0
    }

    @Test(.enabled(if: groups != nil, "needs the right to make groups of processes"))
    func `a group of processes that is too small for the threads is an error`() throws {
        let group = try #require(Self.groups) + "/modelstore-\(UUID())"
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
        defer { _ = unsafe rmdir(group) }
        for command in Self.tried {
            for count in [1, 2, 3, 5, 8] {
                try String(count).write(toFile: group + "/pids.max", atomically: false, encoding: .utf8)
                let run = try run(command, "echo $$ > \(group)/cgroup.procs")
                #expect(run.status == 74 && run.errors.contains("pids.max"), "\(command) with \(count): \(run)")
            }
            try "32".write(toFile: group + "/pids.max", atomically: false, encoding: .utf8)
            #expect(try run(command, "echo $$ > \(group)/cgroup.procs").status == 0)
        }
    }
}
