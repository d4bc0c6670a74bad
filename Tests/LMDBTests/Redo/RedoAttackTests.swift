import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import LMDB

/// The environment as another process would use it, with syncs that a test controls.
private final class ControlledFile: LoggedFile, @unchecked Sendable {
    let base: LMDBEnvironment
    private let lock = NSLock()
    private var syncs: [() -> Int32]
    private var stamps = 0

    /// - Parameter syncs: the outcomes of the first syncs.
    init(_ base: LMDBEnvironment, _ syncs: [() -> Int32]) {
        self.base = base
        self.syncs = syncs
    }

    var stampCount: Int { lock.withLock { stamps } }
    var path: String { base.path }
    var pageSize: Int { base.pageSize }
    func newestMeta() throws(LMDBError) -> [UInt8] { try base.newestMeta() }
    func usedByteCount() throws(LMDBError) -> Int { try base.usedByteCount() }
    func pageCount(freedAfter transaction: UInt64) throws(LMDBError) -> Int {
        try base.pageCount(freedAfter: transaction)
    }
    func readStamp() throws(LMDBError) -> DataFileStamp.Reading { try base.readStamp() }
    func write(_ stamp: DataFileStamp) throws(LMDBError) {
        try base.write(stamp)
        lock.withLock { stamps += 1 }
    }
    func sync() -> Int32 {
        let outcome = lock.withLock { syncs.isEmpty ? nil : syncs.removeFirst() }
        return outcome?() ?? base.sync()
    }
    func oldestSnapshot() throws(LMDBError) -> UInt64? { try base.oldestSnapshot() }
    func pin(on transaction: UInt64) throws(LMDBError) -> RedoPin { try base.pin(on: transaction) }
    func movePins(to transaction: UInt64) { base.movePins(to: transaction) }
    var isPinnedElsewhere: Bool { base.isPinnedElsewhere }
    func whileHoldingWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        try base.whileHoldingWriterLock(body)
    }
    func whileHoldingFreeWriterLock(_ body: (UInt64) throws(LMDBError) -> Void) throws(LMDBError) {
        try base.whileHoldingFreeWriterLock(body)
    }
}

/// Interleavings of processes, kills and failures. A second ``RedoLog`` on the same environment stands for another process.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct RedoAttackTests {
    private func prepare(_ log: RedoLog, _ file: some LoggedFile) throws {
        try file.whileHoldingWriterLock { newest throws(LMDBError) in try log.prepare(newest: newest, file) }
    }

    /// Returns whether a thread of this process waits in the kernel.
    private func isBlocked(_ thread: Int32) -> Bool {
        let state = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
        return state?.contains(") S ") == true
    }

    private func newest(_ store: RedoStore) throws -> CheckpointRecord {
        let side = try #require(try CheckpointFile(in: store.path, isReadOnly: true))
        defer { side.close() }
        return try #require(try side.newest())
    }

    @Test func `a process that missed two checkpoints sees the newest, also after a record was taken back`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let redo = try #require(environment.redo)
        let other = try RedoLog(in: store.path, limits: RedoLimits())
        defer { other.closeFiles() }
        try prepare(other, environment)
        try redo.makeCheckpoint(environment)
        try redo.makeCheckpoint(environment)
        let before = try newest(store)
        let side = store.path + "/" + CheckpointFile.name
        let fault = CallFaults.withPlan(at: side) {
            $0.add(.syncFile, .fails(code: FaultCode.ioError), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) { try redo.makeCheckpoint(environment) }
        #expect(CallFaults.withPlan(at: side) { $0.remove(fault) } == 1)
        #expect(try newest(store) == before)
        // The failed sync makes this one a checkpoint.
        try prepare(other, environment)
        let after = try newest(store)
        #expect(after.number > before.number)
        #expect(try environment.readStamp().stamp?.done == after.identity, "recovery finds the last checkpoint")
        let found = try ExaminedFiles(in: store.path, readsLog: true)
        if case .run = found.situation.decision {
        } else {
            Issue.record("a crash now leads to \(found.situation.decision)")
        }
    }

    @Test func `a process that opens the store does not trust a record that its writer may not have synced`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        // The writer of this record is killed between its write and its sync, while a third process has the store open.
        try #require(environment.redo).makeCheckpoint(environment)
        let other = try RedoLog(in: store.path, limits: RedoLimits())
        defer { other.closeFiles() }
        let side = store.path + "/" + CheckpointFile.name
        CallFaults.withPlan(at: side) { $0.watch() }
        defer { CallFaults.withPlan(at: side) { $0.unwatch() } }
        try prepare(other, environment)
        #expect(CallFaults.withPlan(at: side) { $0.counts[.syncFile] ?? 0 } >= 1)
    }

    @Test func `a checkpoint that a killed process began is begun anew after a quarter of the log`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let killed = DataFileStamp(isOpen: true, done: try newest(store).identity, begun: .random())
        try environment.write(killed)
        let limit = RedoLimits().logByteCount
        let value = String(repeating: "v", count: 100_000)
        var count = 0
        while try environment.readStamp().stamp == killed, count * value.utf8.count < limit {
            try environment.store([("\(count)", value)])
            count += 1
        }
        #expect(try environment.readStamp().stamp?.begun != killed.begun)
        #expect(count * value.utf8.count >= limit / 4 * 3 - value.utf8.count)
        #expect(environment.redo?.waitCount == 0)
    }

    @Test func `a sync that failed on the same descriptor keeps a finished checkpoint from its record`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        var limits = RedoLimits()
        limits.logByteCount = 100
        limits.entryByteCount = 2_000
        let log = try RedoLog(in: store.path, limits: limits)
        defer { log.closeFiles() }
        // Linux reports a failed sync once for each descriptor: a large commit on another thread got the error.
        let file = ControlledFile(environment, [{ 0 }, { EIO }])
        try prepare(log, file)
        // A large commit begins when no other thread syncs.
        #expect(log.commitLarge { 0 } == 0)
        let before = try newest(store)
        let side = try #require(try CheckpointFile(in: store.path, isReadOnly: false))
        defer { side.close() }
        try side.add(.data)
        #expect(throws: LMDBError.self) { try prepare(log, file) }
        #expect(try newest(store) == before, "the pages of this checkpoint may not be on the disk")
    }

    @Test func `a checkpoint waits for another sync of the same descriptor, which may get its error`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        var limits = RedoLimits()
        limits.logByteCount = 100
        limits.entryByteCount = 2_000
        let log = try RedoLog(in: store.path, limits: limits)
        defer { log.closeFiles() }
        let gate = DispatchSemaphore(value: 0)
        let file = ControlledFile(
            environment,
            [
                {
                    gate.wait()
                    return EIO
                }
            ])
        try prepare(log, file)
        let before = try newest(store)
        let end = DispatchSemaphore(value: 0)
        let thread = Mutex<Int32?>(nil)
        Thread.detachNewThread {
            thread.withLock { $0 = SystemCalls.currentThreadIdentity.kernelNumber }
            try? log.makeCheckpoint(file)
            end.signal()
        }
        // A thread gives no event when it begins to wait. One that does not wait for the other sync ends here.
        var hasEnded = false
        while !hasEnded, !(file.stampCount == 2 && thread.withLock { $0.map(isBlocked) } == true) {
            hasEnded = end.wait(timeout: .now() + .milliseconds(1)) == .success
        }
        gate.signal()
        if !hasEnded { end.wait() }
        #expect(try newest(store) == before, "the record was written without the pages that the failed sync lost")
    }

    @Test func `after a failed sync of the data file nothing is written until the store is recovered from the log`()
        throws
    {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        try #require(environment.redo).makeCheckpoint(environment)
        let onDisk = try store.bytes("data.mdb")
        try environment.store([("a", "2"), ("b", "2")])
        // A sync fails, and the system forgets the pages.
        let file = ControlledFile(environment, [{ EIO }])
        try #require(environment.redo).syncAhead(file)
        let before = try newest(store)
        for _ in 1...2 {
            let error = #expect(throws: LMDBError.self) { try environment.store([("a", "3")]) }
            #expect(error?.code == .lostPages && error?.remedy?.contains("open it again") == true, "\(error!)")
        }
        #expect(throws: LMDBError.self) { try #require(environment.redo).makeCheckpoint(environment) }
        store.close()
        #expect(try newest(store) == before, "no checkpoint may vouch for pages that are gone")
        let crashed = try RedoStore(crashOf: store)
        try crashed.change("data.mdb") { $0 = onDisk }
        #expect(try crashed.value("a") == "2")
        #expect(try crashed.value("b") == "2")
        let again = try store.open()
        #expect(try again.value("a") == "2")
        try again.store([("a", "4")])
        #expect(try again.value("a") == "4")
    }

    @Test func `a page that a failed sync has lost is not called damage`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        try #require(environment.redo).makeCheckpoint(environment)
        let before = try store.bytes("data.mdb")
        try environment.store([("a", "2")])
        // The system forgets the pages of the last commit. The first two are LMDB's meta pages.
        let pageSize = environment.pageSize
        try store.change("data.mdb") { bytes in
            for start in stride(from: 2 * pageSize, to: bytes.count, by: pageSize) {
                let page = start..<start + pageSize
                if page.upperBound <= before.count, bytes[page] == before[page] { continue }
                bytes.replaceSubrange(page, with: repeatElement(0, count: pageSize))
            }
        }
        func code() -> LMDBError.Code? {
            #expect(throws: LMDBError.self) { try environment.value("a") }?.code
        }
        #expect(code() == .damaged)
        try environment.requireWrittenPages()
        try #require(environment.redo).syncAhead(ControlledFile(environment, [{ EIO }]))
        #expect(code() == .lostPages)
        #expect(throws: LMDBError.self) { try environment.requireWrittenPages() }
        store.close()
        let again = try store.open()
        #expect(try again.value("a") == "2")
        try again.requireWrittenPages()
    }

    @Test func `a record that reached the disk although its sync failed is not newer than the log that follows`() throws
    {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let redo = try #require(environment.redo)
        let side = store.path + "/" + CheckpointFile.name
        let fault = CallFaults.withPlan(at: side) {
            $0.add(.syncFile, .fails(code: FaultCode.ioError), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) { try redo.makeCheckpoint(environment) }
        #expect(CallFaults.withPlan(at: side) { $0.remove(fault) } == 1)
        CallFaults.withPlan(at: side) { $0.watch() }
        CallFaults.withPlan(at: store.path + "/" + RedoLogFile.name) { $0.watch() }
        // The side file is synced before the log gets another secret.
        let stop = CallFaults.withPlan(at: store.path + "/" + RedoLogFile.name) {
            $0.add(.writeFile, .fails(code: FaultCode.ioError), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) { try redo.makeCheckpoint(environment) }
        _ = CallFaults.withPlan(at: store.path + "/" + RedoLogFile.name) { $0.remove(stop) }
        #expect(CallFaults.withPlan(at: side) { $0.counts[.syncFile] ?? 0 } >= 1)
        CallFaults.withPlan(at: side) { $0.unwatch() }
        CallFaults.withPlan(at: store.path + "/" + RedoLogFile.name) { $0.unwatch() }
    }

    @Test func `setting foreign side files aside can be interrupted`() throws {
        let store = try RedoStore()
        try store.open().store([("a", "mine")])
        store.close()
        let mine = try RedoStore(crashOf: store)
        let second = try RedoStore()
        try second.open().store([("a", "other")])
        for name in RedoFiles.names { try mine.take(name, from: second) }
        second.close()
        let fault = CallFaults.withPlan(at: mine.path) {
            $0.add(.syncDirectory, .fails(code: FaultCode.ioError), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) { try mine.open() }
        #expect(CallFaults.withPlan(at: mine.path) { $0.remove(fault) } == 1)
        #expect(try mine.value("a") == "mine")
    }

    @Test func `a log that ends before the checkpoint's entries is refused`() throws {
        let store = try RedoStore()
        var options = LMDBEnvironment.Options()
        options.redoLimits.logByteCount = 1 << 20
        options.redoLimits.entryByteCount = 1 << 17
        let environment = try store.open(options)
        defer { store.close() }
        var copies: [UInt64: [UInt8]] = [:]
        var number = 0
        while try newest(store).tail.offset <= 270_000 {
            number += 1
            try #require(number < 1_000)
            try environment.store([("key \(number % 3)", String(repeating: "x", count: 4_000))])
            copies[UInt64(try environment.sizes().lastTransactionID)] = try store.bytes("data.mdb")
        }
        try environment.store([("after", "1")])
        try environment.store([("after", "2")])
        let record = try newest(store)
        let stamp = try store.bytes("data.mdb")[512..<568]
        // The disk has the pages of the checkpoint only.
        var onDisk = try #require(copies[record.transaction])
        onDisk.replaceSubrange(512..<568, with: stamp)
        let crashed = try RedoStore(crashOf: store)
        try crashed.change("data.mdb") { $0 = onDisk }
        let cut = try RedoStore(crashOf: crashed)
        try cut.change(RedoLogFile.name) { $0 = Array($0.prefix(1 << 18)) }
        #expect(try crashed.value("after") == "2")
        #expect(throws: LMDBError.self) { try cut.value("after") }
    }

    @Test(arguments: [true, false])
    func `the log of another store, or zeros, in the place of the log`(isZeros: Bool) throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        let record = try newest(store)
        for number in 2...9 { try environment.store([("a", "\(number)")]) }
        #expect(try newest(store) == record)
        let second = try RedoStore()
        try second.open().store([("a", "other")])
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        // As the disk may have it: the meta page of the checkpoint only.
        try crashed.change("data.mdb") { bytes in
            let page = Int(record.transaction % 2)
            bytes.replaceSubrange(page * 4_096..<page * 4_096 + record.meta.count, with: record.meta)
            let other = DataFileMeta.renumbered(
                record.meta, page: 1 - page, transaction: record.transaction == 0 ? 0 : record.transaction - 1)
            bytes.replaceSubrange((1 - page) * 4_096..<(1 - page) * 4_096 + other.count, with: other)
        }
        let control = try RedoStore(crashOf: crashed)
        #expect(try control.value("a") == "9")
        if isZeros {
            try crashed.change(RedoLogFile.name) { $0 = [UInt8](repeating: 0, count: $0.count) }
        } else {
            try crashed.take(RedoLogFile.name, from: second)
        }
        second.close()
        let error = #expect(throws: LMDBError.self) { try crashed.value("a") }
        #expect(error?.code == .redoLogIncomplete && error?.detail.contains("belongs to another store") == true)
    }

    @Test func `the name of a new side file is on the disk before the first commit`() throws {
        let store = try RedoStore()
        // Its maker was killed between the renaming and the sync of the directory.
        let environment = try store.open()
        defer { store.close() }
        CallFaults.withPlan(at: store.path) { $0.watch() }
        defer { CallFaults.withPlan(at: store.path) { $0.unwatch() } }
        try environment.store([("a", "1")])
        #expect(CallFaults.withPlan(at: store.path) { $0.counts[.syncDirectory] ?? 0 } >= 1)
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `a program that knows no log and has the store open after a crash`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...9 { try environment.store([("a", "\(number)")]) }
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        let other = try ForeignProcess()
        try other.ask("open \(crashed.path) 1073741824")
        // Refused, or recovered: the acknowledged commits must stay.
        if let next = try? crashed.open() {
            try? next.store([("b", "1")])
            crashed.close()
        }
        other.kill()
        #expect(try crashed.value("a") == "9")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable), arguments: [true, false], [1, 2, 4, 8, 75])
    func `a program that knows no log writes after a kill`(isRelaxed: Bool, count: Int) throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        func key(_ number: Int) -> String { "key \(100_000 + number)" }
        try environment.store((0..<2_000).map { (key($0), String(repeating: "\($0 % 10)", count: 100)) })
        try #require(environment.redo).makeCheckpoint(environment)
        for number in stride(from: 0, to: 2_000, by: 20) {
            var transaction = try environment.beginWrite(syncsMeta: !isRelaxed)
            let database = try transaction.database()
            try transaction.put(database, key(number), "new")
            try transaction.commit()
        }
        let crashed = try RedoStore(crashOf: store)
        let other = try ForeignProcess()
        try other.ask("open \(crashed.path) 1073741824")
        try other.ask("write test foreign1x \(count)")
        other.kill()
        var wrong = 0
        var failed = 0
        let again = try crashed.open()
        defer { crashed.close() }
        print("relaxed \(isRelaxed) \(count):", again.openingNotice ?? "no notice")
        for number in 0..<2_000 {
            let expected = number % 20 == 0 ? "new" : String(repeating: "\(number % 10)", count: 100)
            do { if try again.value(key(number)) != expected { wrong += 1 } } catch { failed += 1 }
        }
        let foreign = try? again.value("foreign1x000000")
        print("relaxed \(isRelaxed) \(count): wrong \(wrong), failed \(failed), foreign \(foreign ?? "lost")")
        #expect(wrong == 0 && failed == 0 && foreign == "foreign")
    }

    /// Two processes that write in turn, and a disk on which a sync takes longer than a write of the other.
    @Test func `a failed sync is made up for by the next checkpoint`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let fault = CallFaults.withPlan(at: store.path) {
            $0.add(.commit, .fails(code: FaultCode.diskFull), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) { try environment.store([("a", "2")]) }
        #expect(CallFaults.withPlan(at: store.path) { $0.remove(fault) } == 1)
        try environment.store([("a", "3")])
        try #require(environment.redo).makeCheckpoint(environment)
        let hasFailed = try environment.hasFailedSync()
        #expect(!hasFailed)
    }

    @Test(.enabled(if: ForeignProcess.isAvailable), arguments: [2, 9])
    func `a reading program that has the store open after a crash does not count as one that recovered it`(
        last: Int
    ) throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...last { try environment.store([("a", "\(number)")]) }
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        let other = try ForeignProcess()
        try other.ask("open \(crashed.path) 1073741824")
        var impatient = LMDBEnvironment.Options()
        impatient.patienceSeconds = 0
        let before = try crashed.everything()
        let error = #expect(throws: LMDBError.self) { try crashed.open(impatient) }
        #expect(error?.code == .busy && error?.detail.contains("another LMDB program has it open") == true)
        #expect(try crashed.everything() == before)
        other.kill()
        #expect(try crashed.value("a") == "\(last)")
    }
}
