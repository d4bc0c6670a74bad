import ChildPrograms
import Foundation

/// A directory on a small file system of its own, if the user is root, or else in memory.
///
/// The file system is mounted in the mount namespace of a process that this object keeps, so it goes away with that process.
final class NemesisDisk {
    /// The directory as the programs on the disk see it.
    let path: String
    /// The directory as this process sees it.
    let ownPath: String

    private let directory: ScratchDirectory
    private let keeper: ChildProcess?

    init() throws {
        directory = try ScratchDirectory(inMemory: true)
        path = directory.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard geteuid() == 0 else {
            keeper = nil
            ownPath = path
            return
        }
        let script = "mount -t tmpfs -o size=256m tmpfs '\(path)' && echo mounted && read -r line"
        let keeper = try ChildProcess("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script], mergesErrors: true)
        guard let line = keeper.nextLine(), line == "mounted" else {
            throw Command.Failed(description: "no file system can be mounted")
        }
        ownPath = "/proc/\(keeper.processID)/root" + path
        self.keeper = keeper
    }

    /// Starts a program that sees the disk.
    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        guard let keeper else { return try ChildProcess(program, arguments, mergesErrors: true) }
        return try ChildProcess(
            "/usr/bin/nsenter", ["--mount=/proc/\(keeper.processID)/ns/mnt", "--", program] + arguments,
            mergesErrors: true)
    }

    /// Runs a program to its end, and returns its output.
    func run(_ program: String, _ arguments: [String]) throws -> (lines: [String], end: ChildProcess.End) {
        let child = try start(program, arguments)
        return (child.remainingLines(), try child.wait())
    }

    /// Runs a program that must succeed.
    func require(_ program: String, _ arguments: [String]) throws {
        let (lines, end) = try run(program, arguments)
        guard end == .exit(0) else { throw Command.Failed(description: "\(program) \(arguments): \(end) \(lines)") }
    }

    /// Writes a file until the disk is full.
    func fill() throws {
        _ = try run("/bin/dd", ["if=/dev/zero", "of=\(path)/filler", "bs=64k"])
        guard FileManager.default.fileExists(atPath: ownPath + "/filler") else {
            throw Command.Failed(description: "the disk cannot be filled")
        }
    }

    /// Removes what ``fill()`` wrote.
    func empty() throws { try FileManager.default.removeItem(atPath: ownPath + "/filler") }

    /// Makes the file system read-only, or writable again. No program may have a file on it open for writing.
    func setReadOnly(_ isReadOnly: Bool) throws {
        try require("/bin/mount", ["-o", isReadOnly ? "remount,ro" : "remount,rw", path])
    }
}
