import ChildPrograms
import Foundation
import Glibc
import LMDB
import TestSupport
import Testing

/// The size of the file under steady updates by several processes.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 10))) struct FileGrowthTests {
    private static let recordCount = 10_000

    /// The bound that the articles promise.
    private func largest(_ used: Int) -> Int { used * 3 / 2 + 64 << 20 }

    /// Returns the length of the data file, and that of its pages in use.
    private func sizes(_ store: String) throws -> (file: Int, used: Int) {
        let environment = try LMDBEnvironment.open(at: store, options: LMDBEnvironment.Options(isReadOnly: true))
        defer { environment.close() }
        let info = try environment.info()
        let transaction = try environment.beginRead()
        let free = try transaction.snapshot.freePageCount()
        return (info.fileBytes, (info.lastPage + 1 - free) * info.pageSize)
    }

    private func run(_ store: String, _ writes: Int, _ durability: String, _ lanes: [String]) throws {
        let workers = try lanes.map { lane in
            try ChildProcess(
                CrashWorker.path, ["update", store, "\(Self.recordCount)", "\(writes)", durability, lane])
        }
        defer { for worker in workers { worker.kill() } }
        for worker in workers {
            #expect(worker.remainingLines().last == "done")
            #expect(try worker.wait() == .exit(0))
        }
    }

    @Test(arguments: [1, 2, 4], ["relaxed", "full"])
    func `the file keeps its bound, whichever processes write`(processCount: Int, durability: String) throws {
        let directory = try ScratchDirectory()
        let store = directory.path("store")
        try run(store, 0, durability, ["fill"])
        let writes = TestLength.runs(durability == "full" ? 500 : 4_000, long: 60_000) / processCount
        try run(store, writes, durability, (0..<processCount).map { "lane \($0)" })
        let (file, used) = try sizes(store)
        TestRun.note(
            "\(processCount) processes, \(writes) \(durability) updates each: "
                + "\(file >> 20) MiB for \(used >> 20) MiB in use")
        #expect(file <= largest(used), "\(file) bytes for \(used) in use")
    }

    @Test func `a process that is stopped while it has a pin keeps no pages from the others`() throws {
        let directory = try ScratchDirectory()
        let store = directory.path("store")
        try run(store, 0, "relaxed", ["fill"])
        let stopped = try ChildProcess(
            CrashWorker.path, ["update", store, "\(Self.recordCount)", "1000000", "relaxed", "stopped"])
        defer { stopped.kill() }
        #expect(stopped.nextLine() == "open")
        let environment = try LMDBEnvironment.open(at: store, options: LMDBEnvironment.Options(isReadOnly: true))
        defer { environment.close() }
        // Not while it holds the writer.
        repeat {
            _ = Glibc.kill(stopped.processID, SIGCONT)
            while try environment.readers().filter(\.isPin).isEmpty {}
            _ = Glibc.kill(stopped.processID, SIGSTOP)
        } while environment.writingProcess != nil
        try run(store, TestLength.runs(2_000, long: 40_000), "relaxed", ["other"])
        let (file, used) = try sizes(store)
        #expect(file <= largest(used), "\(file) bytes for \(used) in use")
    }
}
