import ChildPrograms
import Foundation

/// One run of workers on a new store, with the log of their operations on its data file.
final class RecordedRun {
    let directory: ScratchDirectory
    let log: SyncLog
    /// The directory of the store. Its data file keeps its identity when the test writes an image into it. The store therefore
    /// treats the image as itself after a crash, not as a copy.
    var store: String { directory.path(Self.place) }
    private static let place = "store"
    /// The writes that the worker saw fail.
    private(set) var faults: [String] = []

    /// Runs two workers that write to one store concurrently, with `count` writes in each of their lanes.
    ///
    /// - Parameter salt: Changes the content that the lanes write.
    init(promise: String, count: Int, salt: Int = 0) throws {
        directory = try ScratchDirectory(inMemory: true)
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let logPath = directory.path("log")
        let environment = library.environment(log: logPath)
        let store = directory.path(Self.place)
        func start(_ names: [String]) throws -> ChildProcess {
            try CrashWorker.write(
                store, promise, count: count, lanes: names.map { "\($0)\(salt)" }, environment: environment)
        }
        let first = try start(["a", "b", "c"])
        defer { first.kill() }
        guard first.nextLine()?.hasPrefix("open ") == true else {
            throw Command.Failed(description: "the first worker did not open its store")
        }
        let second = try start(["d", "e"])
        defer { second.kill() }
        for worker in [first, second] {
            let last = worker.remainingLines().last
            guard last == "done", try worker.wait() == .exit(0) else {
                throw Command.Failed(description: "a worker ended with \(last ?? "nothing")")
            }
        }
        log = try SyncLog(contentsOf: logPath)
    }

    /// Runs one worker that goes on after failed writes, while some syncs fail.
    ///
    /// - Parameter failing: The numbers of the failing syncs and synchronous writes, counted from 1.
    init(enduring count: Int, failing: Range<Int>) throws {
        directory = try ScratchDirectory(inMemory: true)
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let logPath = directory.path("log")
        let environment = library.environment(log: logPath, failing: failing)
        let worker = try CrashWorker.endure(directory.path(Self.place), count: count, environment: environment)
        defer { worker.kill() }
        faults = worker.remainingLines().filter { $0.hasPrefix("fault ") }
        guard try worker.wait() == .exit(0) else { throw Command.Failed(description: "the worker gave up: \(faults)") }
        log = try SyncLog(contentsOf: logPath)
    }

    /// Writes an image into the store's data file.
    func replaceData(with image: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store + "/data.mdb"))
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: image)
    }
}
