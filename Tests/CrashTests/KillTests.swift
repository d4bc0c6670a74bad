import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Two processes write to one store, and the test kills one of them repeatedly.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct KillTests {
    /// The moment at which a victim is killed.
    enum Moment: CaseIterable {
        /// At any moment after the test has heard enough from it.
        case anywhere
        /// Directly before a write or sync of the data file.
        case atFileOperation
    }

    /// - Parameter redoLog: The length in bytes after which the redo log makes a checkpoint; nil for a store without one.
    @Test(arguments: Moment.allCases, [nil, 65_536] as [Int?])
    func `what a killed writer acknowledged is there once, and the other one notices nothing`(
        moment: Moment, redoLog: Int?
    ) throws {
        var random = TestRandom(seed: TestRun.seed)
        let directory = try ScratchDirectory()
        let store = directory.path("store")
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let checker = StoreChecker()
        let options = Self.options(redoLog)
        let survivor = try CrashWorker.write(store, "mixed", lanes: ["s1", "s2", "s3"], environment: options)
        defer { survivor.kill() }
        var heard = Heard()
        let opened = try #require(survivor.nextLine())
        #expect(opened.hasPrefix("open "))
        let kills = TestLength.isLong ? 1_500 : 25
        for kill in 1...kills {
            let lines = try self.kill(moment, store, library, options, using: &random)
            for line in lines { heard.hear(line) }
            // The survivor continues, and takes over the lock that the victim may have held.
            for _ in 0..<5 {
                let line = try #require(survivor.nextLine(), "the survivor says nothing after kill \(kill)")
                heard.hear(line)
            }
            for line in survivor.linesSoFar() { heard.hear(line) }
            if kill % (TestLength.isLong ? 100 : 10) == 0 {
                try heard.compare(with: checker.check(store))
                TestRun.noteProgress("\(kill) of \(kills) kills \(moment)")
            }
        }
        survivor.send("stop")
        for line in survivor.remainingLines() { heard.hear(line) }
        #expect(try survivor.wait() == .exit(0))
        #expect(heard.others == ["done"])
        try heard.compare(with: checker.check(store, acknowledged: heard.acknowledged))
        let count = heard.acknowledged.count
        let log = redoLog == nil ? "without a redo log" : "with a redo log"
        TestRun.note("\(kills) kills \(moment) \(log): \(count) acknowledged writes; MODELSTORE_SEED=\(TestRun.seed)")
    }

    @Test(arguments: [nil, 65_536] as [Int?])
    func `a store whose making was killed at any operation is made by the next one`(redoLog: Int?) throws {
        let library = try SyncLogLibrary()
        defer { withExtendedLifetime(library) {} }
        let checker = StoreChecker()
        let options = Self.options(redoLog)
        for operation in 1...(redoLog == nil ? 12 : 40) {
            let directory = try ScratchDirectory(inMemory: true)
            let store = directory.path("store")
            let victim = try CrashWorker.write(
                store, "full", lanes: ["v"],
                environment: options.merging(
                    library.environment(root: redoLog == nil ? nil : directory.path, killAt: operation)
                ) { $1 })
            let lines = victim.remainingLines()
            #expect(try victim.wait() == .signal(SIGKILL))
            var heard = Heard()
            for line in lines { heard.hear(line) }
            let next = try CrashWorker.write(store, "full", count: 3, lanes: ["v"], environment: options)
            for line in next.remainingLines() { heard.hear(line) }
            #expect(try next.wait() == .exit(0), "after a kill before operation \(operation): \(heard.others)")
            #expect(heard.others == ["done"])
            try heard.compare(with: checker.check(store, acknowledged: heard.acknowledged))
        }
    }

    /// Returns the environment of workers with a redo log, or without one.
    private static func options(_ redoLog: Int?) -> [String: String] { redoLog.map { ["REDO_LOG": String($0)] } ?? [:] }

    /// Starts a victim and ends it.
    ///
    /// - Returns: Its complete output.
    private func kill(
        _ moment: Moment, _ store: String, _ library: SyncLogLibrary, _ options: [String: String],
        using random: inout TestRandom
    ) throws -> [String] {
        let lanes = ["v1", "v2"]
        var lines: [String] = []
        switch moment {
        case .anywhere:
            let victim = try CrashWorker.write(store, "mixed", lanes: lanes, environment: options)
            let wanted = Int.random(in: 0...20, using: &random)
            while lines.count < wanted, let line = victim.nextLine() { lines.append(line) }
            // The kill can also come between two lines. There is no event to wait for, so the moment is random.
            usleep(.random(in: 0...3_000, using: &random))
            victim.kill()
            lines += victim.remainingLines()
            #expect(try victim.wait() == .signal(SIGKILL))
        case .atFileOperation:
            let operation = Int.random(in: 1...60, using: &random)
            let victim = try CrashWorker.write(
                store, "mixed", lanes: lanes,
                environment: library.environment(root: options.isEmpty ? nil : store, killAt: operation)
                    .merging(options) { $1 })
            lines += victim.remainingLines()
            #expect(try victim.wait() == .signal(SIGKILL), "before operation \(operation)")
        }
        return lines
    }
}

/// The output of the workers so far.
private struct Heard {
    private(set) var acknowledged: [Acknowledgement] = []
    /// Lines other than acknowledgements and reports of an open store.
    private(set) var others: [String] = []
    private var last: [String: Acknowledgement] = [:]
    private var epochs: Set<String> = []
    private var sequences: Set<UInt64> = []

    mutating func hear(_ line: String) {
        guard let write = Acknowledgement(line) else {
            if line.hasPrefix("open ") {
                epochs.insert(line)
                #expect(epochs.count == 1, "the store took itself for a copy: \(epochs)")
            } else {
                others.append(line)
            }
            return
        }
        #expect(sequences.insert(write.sequence).inserted, "two writes got the change set \(write.sequence)")
        if let before = last[write.lane] {
            #expect(before.number < write.number && before.sequence < write.sequence, "\(write) came after \(before)")
        }
        last[write.lane] = write
        acknowledged.append(write)
    }

    /// Compares the acknowledgements with the content of the store.
    func compare(with verdict: StoreChecker.Verdict) throws {
        let sound = try #require(verdict.sound, "\(verdict); MODELSTORE_SEED=\(TestRun.seed)")
        for (lane, write) in last {
            let count = sound.counts[lane] ?? 0
            #expect(count >= write.number, "\(write) was acknowledged, the store has \(count) writes of its lane")
            #expect(sound.sequence >= write.sequence)
        }
    }
}
