import ChildPrograms
import Foundation
import TestSupport

/// Two writers and two followers of one store, and faults of the file system at moments that the seed chooses.
final class NemesisRun {
    private let disk: NemesisDisk
    private let programs: [NemesisProgram]
    private var random: TestRandom
    /// The ends of programs, by kind and reason.
    private(set) var ends: [String: Int] = [:]

    private static let dataFile = "data.mdb"

    init(seed: UInt64) throws {
        disk = try NemesisDisk()
        random = TestRandom(seed: seed)
        let (disk, store) = (disk, disk.path + "/store")
        let roles: [NemesisProgram.Role] = [.writer(lane: "a"), .writer(lane: "b"), .follower, .follower]
        programs = roles.map { NemesisProgram($0, store: store, on: disk) }
        for program in programs {
            try program.start()
            // The first program creates the store.
            try requireProgress(program, 1, "at the beginning")
        }
    }

    private func own(_ name: String, in folder: String = "store") -> String { "\(disk.ownPath)/\(folder)/\(name)" }

    /// Lets the programs work for a while, causes a fault, and lets them go on.
    ///
    /// - Throws: ``Command/Failed`` if a program does not react as it must, or an acknowledged write is lost.
    func strike(_ kind: NemesisKind) throws {
        if kind == .replaceData || kind == .removeData || kind == .truncateData { try makeCopy() }
        for program in programs { try requireProgress(program, random.below(15) + 1, "before \(kind)") }
        switch kind {
        case .renameData: try renameData()
        case .removeData, .replaceData: try exchangeData(kind)
        case .truncateData: try truncateData()
        case .removeLock, .replaceLock, .truncateLock: try breakLock(kind)
        case .linkData: try link(Self.dataFile)
        case .linkLock: try link("lock.mdb")
        case .removeWake, .truncateWake: try breakWake(kind)
        case .renameFolder: try renameFolder()
        case .fillDisk: try fillDisk()
        case .readOnly: try remount()
        }
        if case .goOn = kind.reaction {
            for program in programs { try requireProgress(program, 3, "after \(kind)") }
        }
        try startEnded()
        for program in programs { try requireProgress(program, 2, "started again after \(kind)") }
    }

    /// Stops the programs, and checks the store.
    func finish() throws {
        for program in programs.prefix(2) { try program.stop() }
        let lanes = try requireAcknowledged(in: "store", "at the end")
        for program in programs.dropFirst(2) {
            try program.awaitLanes(lanes)
            try program.stop()
        }
        let (lines, end) = try disk.run(BuiltProgram.path("store-cli"), ["--store", disk.path + "/store", "verify"])
        guard end == .exit(0) else { throw Command.Failed(description: "verify at the end: \(lines)") }
    }

    // MARK: Faults

    /// Renames the data file, and gives it its name back when some programs may have noticed.
    private func renameData() throws {
        try call("rename", unsafe rename(own(Self.dataFile), own("away")))
        if random.oneIn(3) {
            for program in programs { try requireEnd(program, .renameData) }
        } else {
            try requireEnd(programs[random.below(2)], .renameData)
        }
        try call("rename", unsafe rename(own("away"), own(Self.dataFile)))
        // A follower has nothing to see without a writer.
        try startEnded()
        for program in programs { try requireEither(program, .renameData) }
    }

    /// Removes the data file or replaces it with an earlier copy. The acknowledged writes must all be in the removed file.
    private func exchangeData(_ kind: NemesisKind) throws {
        try? FileManager.default.removeItem(atPath: disk.ownPath + "/aside")
        try FileManager.default.createDirectory(atPath: disk.ownPath + "/aside", withIntermediateDirectories: false)
        try call("link", unsafe Glibc.link(own(Self.dataFile), own(Self.dataFile, in: "aside")))
        if kind == .removeData {
            try call("unlink", unsafe unlink(own(Self.dataFile)))
        } else {
            try call("rename", unsafe rename(own(Self.dataFile, in: "copy"), own(Self.dataFile)))
        }
        for program in programs { try requireEnd(program, kind) }
        if kind == .replaceData {
            // A redo log belongs to its data file. The error of an open says to remove it.
            for name in ["redo.checkpoint", "redo.log"] { _ = unsafe unlink(own(name)) }
        }
        try requireAcknowledged(in: "aside", "in the file that was taken away")
        try begin(afterRestoring: kind == .removeData)
    }

    private func truncateData() throws {
        try call("truncate", unsafe truncate(own(Self.dataFile), off_t(4_096 * random.below(12))))
        for program in programs { try requireEnd(program, .truncateData) }
        try begin(afterRestoring: true)
    }

    private func breakLock(_ kind: NemesisKind) throws {
        let file = own("lock.mdb")
        switch kind {
        case .removeLock: try call("unlink", unsafe unlink(file))
        case .replaceLock:
            try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
            try call("rename", unsafe rename(file + ".copy", file))
        default: try call("truncate", unsafe truncate(file, 0))
        }
        // All programs must have ended before one starts again: the lock file is how they know of each other.
        for program in programs { try requireEnd(program, kind) }
    }

    private func breakWake(_ kind: NemesisKind) throws {
        let file = own("feed.wake")
        // An earlier fault may have removed it. The programs then make a new one when they open the store.
        guard FileManager.default.fileExists(atPath: file) else { return }
        if kind == .removeWake {
            try call("unlink", unsafe unlink(file))
        } else {
            try call("truncate", unsafe truncate(file, off_t(random.below(20))))
        }
    }

    /// Gives a file a second name for a while, which keeps other programs from opening the store.
    private func link(_ file: String) throws {
        try call("link", unsafe Glibc.link(own(file), disk.ownPath + "/second"))
        for program in programs { try requireProgress(program, 2, "while \(file) has two names") }
        let (lines, end) = try disk.run(FeedWorker.path, ["check", disk.path + "/store"])
        guard end == .exit(1), lines.last?.hasPrefix("failed [linkedFile]") == true else {
            throw Command.Failed(description: "\(file) has two names, and a program that opens the store says \(lines)")
        }
        try call("unlink", unsafe unlink(disk.ownPath + "/second"))
    }

    private func renameFolder() throws {
        try call("rename", unsafe rename(own("", in: "store"), own("", in: "moved")))
        for program in programs { try requireProgress(program, 3, "while the directory has another name") }
        try call("rename", unsafe rename(own("", in: "moved"), own("", in: "store")))
    }

    private func fillDisk() throws {
        try disk.fill()
        for program in programs.prefix(2) { try requireEither(program, .fillDisk) }
        try disk.empty()
        try startEnded()
        for program in programs { try requireEither(program, .fillDisk) }
    }

    /// Makes the disk read-only while no program has the store open. Programs that open it then fail.
    private func remount() throws {
        for program in programs { try program.stop() }
        try disk.setReadOnly(true)
        for program in programs {
            try program.start()
            try requireEnd(program, .readOnly)
        }
        let (lines, end) = try disk.run(BuiltProgram.path("store-cli"), ["--store", disk.path + "/store", "verify"])
        guard end == .exit(0) else { throw Command.Failed(description: "verify on a read-only disk: \(lines)") }
        try disk.setReadOnly(false)
    }

    // MARK: Reactions

    private func startEnded() throws {
        for program in programs where !program.isRunning { try program.start() }
    }

    private func requireProgress(_ program: NemesisProgram, _ count: Int, _ moment: String) throws {
        let outcome = try program.awaitLines(count)
        guard outcome == .progressed else {
            throw Command.Failed(description: "\(program.name) \(moment): \(outcome)")
        }
    }

    private func requireEnd(_ program: NemesisProgram, _ kind: NemesisKind) throws {
        try judge(program, try program.awaitEnd(), kind)
    }

    private func requireEither(_ program: NemesisProgram, _ kind: NemesisKind) throws {
        let outcome = try program.awaitLines(3)
        if outcome != .progressed { try judge(program, outcome, kind) }
    }

    private func judge(_ program: NemesisProgram, _ outcome: NemesisProgram.Outcome, _ kind: NemesisKind) throws {
        switch (outcome, kind.reaction) {
        case (.ended(let code), .end(let codes)) where codes.contains(code): ends["\(kind) \(code)", default: 0] += 1
        case (.ended(let code), .either(let codes)) where codes.contains(code):
            ends["\(kind) \(code)", default: 0] += 1
        case (.killed(SIGBUS), _) where kind.mayRaiseBusError: ends["\(kind) SIGBUS", default: 0] += 1
        default: throw Command.Failed(description: "\(program.name) after \(kind): \(outcome)")
        }
    }

    // MARK: Contents

    /// Makes a copy of the store as it is now, while the programs run.
    private func makeCopy() throws {
        try? FileManager.default.removeItem(atPath: disk.ownPath + "/copy")
        try disk.require(
            BuiltProgram.path("store-cli"), ["--store", disk.path + "/store", "backup", disk.path + "/copy"])
    }

    /// Makes the programs start with an earlier copy of the store.
    private func begin(afterRestoring restores: Bool) throws {
        if restores {
            try disk.require(
                BuiltProgram.path("store-cli"), ["--store", disk.path + "/store", "restore", disk.path + "/copy"])
        }
        let lanes = try lanes(in: "store")
        for program in programs {
            guard case .writer(let lane) = program.role else {
                program.forget(acknowledged: 0)
                continue
            }
            program.forget(acknowledged: lanes[lane] ?? 0)
        }
    }

    /// Checks that a store has all acknowledged writes, and returns the numbers of its lanes.
    @discardableResult
    private func requireAcknowledged(in folder: String, _ moment: String) throws -> [String: Int] {
        let lanes = try lanes(in: folder)
        for program in programs {
            guard case .writer(let lane) = program.role else { continue }
            guard lanes[lane] ?? 0 >= program.acknowledged else {
                throw Command.Failed(
                    description:
                        "lane \(lane) \(moment) is at \(lanes[lane] ?? 0), acknowledged at \(program.acknowledged)")
            }
        }
        return lanes
    }

    private func lanes(in folder: String) throws -> [String: Int] {
        let (lines, end) = try disk.run(FeedWorker.path, ["check", "\(disk.path)/\(folder)"])
        guard end == .exit(0) else { throw Command.Failed(description: "check of \(folder): \(lines)") }
        var lanes: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ")
            guard words.first == "lane", words.count > 3, let last = Int(words[2]) else { continue }
            guard words[3] == words[2] else { throw Command.Failed(description: "items are missing: \(line)") }
            lanes[String(words[1])] = last
        }
        return lanes
    }

    private func call(_ name: String, _ result: Int32) throws {
        guard result == 0 else {
            throw Command.Failed(description: "\(name): \(unsafe String(cString: strerror(errno)))")
        }
    }
}
