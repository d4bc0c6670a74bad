import ChildPrograms
import Foundation
import TestSupport

/// One run of workers on a new store, with the log of their operations on its files.
final class RecordedRun {
    let directory: ScratchDirectory
    /// The operations on all files that make up the store.
    let folderLog: FolderLog
    /// The directory of the store. Its data file keeps its identity when the test writes an image into it. The store therefore
    /// treats the image as itself after a crash, not as a copy.
    var store: String { directory.path(Self.place) }
    private static let place = "store"
    /// The writes that the worker saw fail.
    private(set) var faults: [String] = []

    /// Runs two workers that write to one store concurrently, with `count` writes in each of their lanes.
    ///
    /// - Parameters:
    ///   - salt: Changes the content that the lanes write.
    ///   - redoLog: The length in bytes after which the redo log makes a checkpoint; nil for a store without one.
    ///   - hasShortWrites: Whether writes to the log and its side file write a part of their bytes, and are interrupted.
    ///   - isFollowed: Whether another process follows the feed meanwhile, and marks the change sets that it receives.
    init(
        promise: String, count: Int, salt: Int = 0, redoLog: Int? = nil, hasShortWrites: Bool = false,
        isFollowed: Bool = false
    ) throws {
        let recording = try Recording(redoLog)
        directory = recording.directory
        func start(_ names: [String]) throws -> ChildProcess {
            try CrashWorker.write(
                recording.store, promise, count: count, lanes: names.map { "\($0)\(salt)" },
                environment: recording.environment(hasShortWrites: hasShortWrites))
        }
        let first = try start(["a", "b", "c"])
        defer { first.kill() }
        guard first.nextLine()?.hasPrefix("open ") == true else {
            throw Command.Failed(description: "the first worker did not open its store")
        }
        let second = try start(["d", "e"])
        defer { second.kill() }
        let follower = try isFollowed ? CrashWorker.follow(recording.store, environment: recording.environment()) : nil
        defer { follower?.kill() }
        for worker in [first, second] {
            let last = worker.remainingLines().last
            guard last == "done", try worker.wait() == .exit(0) else {
                throw Command.Failed(description: "a worker ended with \(last ?? "nothing")")
            }
        }
        follower?.send("stop")
        _ = follower?.remainingLines()
        folderLog = try recording.log()
    }

    /// Runs one worker that goes on after failed writes, while some syncs fail.
    ///
    /// - Parameters:
    ///   - failing: The numbers of the failing syncs and synchronous writes, counted from 1.
    ///   - redoLog: As above.
    ///   - tracer: `strace`, if it makes the syncs fail from outside. It counts the syncs of each thread on their own, so each
    ///     opening of the store can see failures, and the worker may give up. Synchronous writes do not fail then.
    init(enduring count: Int, failing: Range<Int>, redoLog: Int? = nil, tracer: String? = nil) throws {
        let recording = try Recording(redoLog)
        directory = recording.directory
        let worker: ChildProcess
        if let tracer {
            var environment = recording.environment()
            // The library would take the variable from the tracer's environment away.
            let library = environment.removeValue(forKey: "LD_PRELOAD") ?? ""
            let calls = "fsync,fdatasync"
            let inject = "inject=\(calls):error=EIO:when=\(failing.lowerBound)..\(failing.upperBound - 1)"
            let options = [
                "-f", "-o", directory.path("trace"), "-E", "LD_PRELOAD=" + library, "-e", "trace=" + calls, "-e",
                inject, CrashWorker.path,
            ]
            worker = try ChildProcess(
                tracer, options + CrashWorker.enduring(recording.store, count: count), environment: environment)
        } else {
            worker = try CrashWorker.endure(
                recording.store, count: count, environment: recording.environment(failing: failing))
        }
        defer { worker.kill() }
        faults = worker.remainingLines().filter { $0.hasPrefix("fault ") }
        let end = try worker.wait()
        guard end == .exit(0) || tracer != nil && end == .exit(1) else {
            throw Command.Failed(description: "the worker ended with \(end): \(faults)")
        }
        folderLog = try recording.log()
    }

    /// Returns the log of the data file, of a store without a redo log.
    func dataFileLog() throws -> SyncLog { try SyncLog(contentsOf: directory.path(Recording.logName)) }

    /// The directory of a run and the log that its workers write.
    private struct Recording {
        static let logName = "log"

        let directory: ScratchDirectory
        private let library: SyncLogLibrary
        private let redoLog: Int?
        /// The content of the store's directory before the run, if all its files are logged.
        private let beginning: FolderLog.Beginning?
        var store: String { directory.path(RecordedRun.place) }

        init(_ redoLog: Int?) throws {
            self.redoLog = redoLog
            directory = try ScratchDirectory(inMemory: true)
            library = try SyncLogLibrary()
            guard redoLog != nil else {
                beginning = nil
                return
            }
            let store = directory.path(RecordedRun.place)
            try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
            beginning = try FolderLog.Beginning(of: store)
        }

        func environment(failing: Range<Int> = 0..<0, hasShortWrites: Bool = false) -> [String: String] {
            var variables = library.environment(
                log: directory.path(Self.logName), root: redoLog == nil ? nil : store, failing: failing,
                shortWrites: hasShortWrites ? "/redo." : nil)
            variables["REDO_LOG"] = redoLog.map(String.init)
            return variables
        }

        func log() throws -> FolderLog {
            let path = directory.path(Self.logName)
            guard let beginning else { return FolderLog(dataFile: try SyncLog(contentsOf: path)) }
            return try FolderLog(contentsOf: path, folder: store, beginning: beginning)
        }
    }

    /// Writes an image into the files of the store, as another boot of the system finds it. Files that the image lacks are
    /// removed, except those that no log follows.
    func replaceFiles(with image: FolderDisk.Image) throws {
        let files = image.withoutMappedFiles.files
        let aside = directory.path("data.mdb")
        for name in try FileManager.default.contentsOfDirectory(atPath: store)
        where files["/" + name] == nil && !Self.mappedFiles.contains(name) {
            // The next image with a data file gets the same file, so that it keeps its identity.
            if name == "data.mdb", !FileManager.default.fileExists(atPath: aside) {
                try FileManager.default.moveItem(atPath: store + "/" + name, toPath: aside)
            } else {
                try FileManager.default.removeItem(atPath: store + "/" + name)
            }
        }
        for (name, content) in files {
            let path = store + name
            if name == "/data.mdb", FileManager.default.fileExists(atPath: aside) {
                try? FileManager.default.removeItem(atPath: path)
                try FileManager.default.moveItem(atPath: aside, toPath: path)
            }
            if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            defer { try? file.close() }
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: content)
        }
    }

    private static let mappedFiles: Set<String> = ["lock.mdb", "feed.wake"]
}
