import Foundation
import Glibc
import TestSupport
import Testing

@testable import LMDB

/// The redo log with real files. A crash is a copy of the files: the data file as the last checkpoint left it on the disk, or as
/// the page cache has it.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct RedoLogTests {
    @Test func `a store that has a log keeps it`() throws {
        let store = try RedoStore()
        let first = try store.open()
        defer { store.close() }
        #expect(first.logsCommits)
        try first.store([("a", "1")])
        #expect(try store.logByteCount() > 0)
        store.close()
        #expect(try store.logByteCount() == 0, "a clean close makes a checkpoint")
        let second = try store.open()
        defer { store.close() }
        #expect(second.logsCommits)
        #expect(try second.value("a") == "1")
    }

    @Test func `an existing store gets a log too`() throws {
        let directory = try TemporaryDirectory()
        let plain = try LMDBEnvironment.open(at: directory.path)
        try plain.store([("a", "1")])
        plain.close()
        try RedoFiles.create(in: directory.path)
        let logged = try LMDBEnvironment.open(at: directory.path)
        defer { logged.close() }
        #expect(logged.logsCommits)
        try logged.store([("b", "2")])
        #expect(try logged.value("a") == "1")
        #expect(try logged.value("b") == "2")
    }

    @Test(arguments: [true, false])
    func `the log brings back all commits after the checkpoint, with LMDB's own numbers`(losesPages: Bool) throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1"), ("b", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...40 { try environment.store([("a", "\(number)"), ("key \(number)", "x")]) }
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        unsafe try transaction.delete(database, key: "b".bytes.span.bytes)
        let other = try transaction.database("other")
        try transaction.put(other, "o", "1")
        var child = try transaction.beginChild()
        try child.put(database, "aborted", "x")
        child.abort()
        try transaction.commit()
        let newest = try environment.info().lastTransactionID

        let crashed = try RedoStore(crashOf: store)
        if losesPages { try crashed.take("data.mdb", from: old) }
        let again = try crashed.open()
        defer { crashed.close() }
        #expect(try again.value("a") == "40")
        #expect(try again.value("key 17") == "x")
        #expect(try again.value("b") == nil)
        #expect(try again.value("aborted") == nil)
        #expect(try again.value("o", in: "other") == "1")
        #expect(try again.info().lastTransactionID == newest)
        try again.store([("c", "3")])
        #expect(try again.value("c") == "3")
    }

    @Test func `a commit that is too large for the log is durable before any process sees it`() throws {
        let store = try RedoStore()
        var options = LMDBEnvironment.Options()
        options.redoLimits.entryByteCount = 2_000
        let environment = try store.open(options)
        defer { store.close() }
        try environment.store([("small", "1")])
        #expect(try store.logByteCount() > 0)
        CallFaults.withPlan(at: store.path) { $0.watch() }
        try environment.store((0..<100).map { ("large \($0)", String(repeating: "x", count: 50)) })
        #expect(try store.logByteCount() == 0)
        let againStore = try RedoStore(crashOf: store)
        let again = try againStore.open()
        defer { againStore.close() }
        #expect(try again.value("large 99") != nil)
        #expect(try again.value("small") == "1")
    }

    @Test func `a large commit that failed does not come back, and a crash before it loses nothing`() throws {
        let store = try RedoStore()
        var options = LMDBEnvironment.Options()
        options.redoLimits.entryByteCount = 2_000
        let environment = try store.open(options)
        defer { store.close() }
        try environment.store([("small", "1")])
        let before = try RedoStore(crashOf: store, ["data.mdb"])
        let fault = CallFaults.withPlan(at: store.path) { plan in
            plan.add(.commit, .fails(code: FaultCode.diskFull), after: 0, times: 1)
        }
        #expect(throws: LMDBError.self) {
            try environment.store((0..<100).map { ("large \($0)", String(repeating: "x", count: 50)) })
        }
        #expect(CallFaults.withPlan(at: store.path) { $0.remove(fault) } == 1)
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: before)
        let again = try crashed.open()
        defer { crashed.close() }
        #expect(try again.value("small") == "1")
        #expect(try again.value("large 9") == nil)
        try environment.store([("small", "2")])
        #expect(try RedoStore(crashOf: store).value("small") == "2")
    }

    @Test func `a commit that fails after its entry was written does not come back`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let end = try store.logByteCount()
        let fault = CallFaults.withPlan(at: store.path) { plan in
            plan.add(.commit, .fails(code: FaultCode.diskFull), after: 0, times: 1)
        }
        let error = #expect(throws: LMDBError.self) { try environment.store([("a", "failed"), ("b", "failed")]) }
        #expect(error?.isOutcomeUnknown == false)
        #expect(CallFaults.withPlan(at: store.path) { $0.remove(fault) } == 1)
        #expect(try store.logByteCount() == end)
        let againStore = try RedoStore(crashOf: store)
        let again = try againStore.open()
        defer { againStore.close() }
        #expect(try again.value("a") == "1")
        #expect(try again.value("b") == nil)
        try environment.store([("a", "2")])
        #expect(try store.logByteCount() > end, "the next commit takes the place of the failed one")
    }

    /// A process that is killed between its entry and LMDB's commit leaves the entry.
    @Test(.enabled(if: ForeignProcess.isAvailable), arguments: [true, false])
    func `an entry without a commit is not taken for that of the next commit`(isLarge: Bool) throws {
        let store = try RedoStore()
        var options = LMDBEnvironment.Options()
        options.redoLimits.entryByteCount = 2_000
        let environment = try store.open(options)
        defer { store.close() }
        try environment.store([("a", "1")])
        let base = try RedoStore(crashOf: store, ["data.mdb"])
        try environment.store([("a", "killed"), ("b", "killed")])
        // Both processes continue the same commits, but one has not made its last.
        let other = try RedoStore(crashOf: store)
        try other.take("data.mdb", from: base)
        let next = try other.openInUse(options)
        defer { other.close() }
        let text = String(repeating: "y", count: isLarge ? 3_000 : 10)
        try next.store([("c", text)])
        try next.store([("d", "2")])
        let againStore = try RedoStore(crashOf: other)
        let again = try againStore.open()
        defer { againStore.close() }
        #expect(try again.value("a") == "1")
        #expect(try again.value("b") == nil)
        #expect(try again.value("c") == text)
        #expect(try again.value("d") == "2")
    }

    /// Linux takes the pages of a failed sync for written. Pages that no later write touches then never reach the disk.
    @Test func `after another process's sync of the log has failed, the next write does not build on the log`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a \(number)", String(repeating: "x", count: 3_000))]) }
        let lost = try store.bytes(RedoLogFile.name)
        let side = try #require(try CheckpointFile(in: store.path, isReadOnly: false))
        defer { side.close() }
        try side.add(.log)
        try environment.store([("b", "1")])
        #expect(try side.flags() == [])
        let crashed = try RedoStore(crashOf: store)
        try crashed.change(RedoLogFile.name) { onDisk in
            for page in stride(from: 0, to: min(lost.count, onDisk.count), by: 4_096) {
                let bytes = page..<min(page + 4_096, lost.count, onDisk.count)
                guard onDisk[bytes] == lost[bytes] else { continue }
                onDisk.replaceSubrange(bytes, with: repeatElement(0, count: bytes.count))
            }
        }
        let again = try crashed.open()
        defer { crashed.close() }
        for number in 1...5 { #expect(try again.value("a \(number)") != nil) }
        #expect(try again.value("b") == "1")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `an open waits for a process that recovers the store, as long as it may, and says so`() async throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let crashed = try RedoStore(crashOf: store)
        guard let recovering = try LockFile.take(in: crashed.path, fileMode: 0o640) else { throw POSIXError(.EBUSY) }
        var impatient = LMDBEnvironment.Options()
        impatient.recoveryPatience = .milliseconds(1_200)
        var waits: [Duration] = []
        let refused = #expect(throws: LMDBError.self) {
            try LMDBEnvironment.open(at: crashed.path, options: impatient, waiting: { waits.append($0) })
        }
        #expect(refused?.code == .writerHeld)
        #expect(refused?.detail.contains("has been opening or recovering the store") == true)
        #expect(refused?.remedy?.contains("end that process") == false)
        #expect(waits.count == 1 && waits.allSatisfy { $0 >= .seconds(1) })
        recovering.release()
        #expect(try crashed.value(with: impatient, "a") == "1")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `an open does not wait for processes that have the store open`() async throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let crashed = try RedoStore(crashOf: store)
        let other = try ForeignProcess()
        try other.ask("open \(crashed.path) 1073741824")
        var impatient = LMDBEnvironment.Options()
        impatient.recoveryPatience = .zero
        let mark = try UseMark(in: crashed.path)
        #expect(try crashed.value(with: impatient, "a") == "1")
        other.kill()
        mark?.end()
    }

    @Test func `a checkpoint is begun with half of the log, and its pages are used again`() throws {
        for (log, kept) in [(16_000, 1 << 30), (1 << 20, 20 * 4_096)] {
            let store = try RedoStore()
            var options = LMDBEnvironment.Options()
            options.redoLimits.logByteCount = log
            options.redoLimits.entryByteCount = 2_000
            options.redoLimits.keptByteCount = kept
            let environment = try store.open(options)
            defer { store.close() }
            var lengths: [Int] = []
            for number in 1...400 {
                try environment.store([("key \(number % 7)", String(repeating: "x", count: 100))])
                lengths.append(try store.logByteCount())
            }
            #expect(zip(lengths, lengths.dropFirst()).filter { $1 < $0 }.count > 3, "\(log), \(kept)")
            #expect(lengths.max() ?? 0 <= log + 2_100)
            #expect(try environment.info().fileBytes < 400 * 4_096, "the pages that a checkpoint frees are used again")
            let againStore = try RedoStore(crashOf: store)
            let again = try againStore.open()
            defer { againStore.close() }
            for number in 394...400 { #expect(try again.value("key \(number % 7)") != nil) }
        }
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `after a clean close the data file is whole by itself, also if another program writes to it`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        store.close()
        let alone = try RedoStore(crashOf: store, ["data.mdb"])
        let reader = try alone.open(LMDBEnvironment.Options(isReadOnly: true))
        defer { alone.close() }
        #expect(try reader.value("a") == "5")
        alone.close()
        // A program that knows no log.
        let foreign = try ForeignProcess()
        try foreign.ask("open \(alone.path) 1073741824")
        try foreign.ask("write test foreign 25")
        foreign.kill()
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: alone)
        let again = try crashed.open()
        defer { crashed.close() }
        #expect(try again.value("foreign000024") == "foreign")
        try again.store([("b", "1")])
        let lastStore = try RedoStore(crashOf: crashed)
        let last = try lastStore.open()
        defer { lastStore.close() }
        #expect(try last.value("foreign000024") == "foreign")
        #expect(try last.value("b") == "1")
    }

    @Test func `a process that writes nothing gives up its pin, and the next write takes another`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        #expect(try environment.readers().filter(\.isPin).count == 1)
        let transaction = try environment.beginRead()
        #expect(try environment.readers().filter { !$0.isPin && $0.transactionID != nil }.count == 1)
        try environment.restLog()
        try environment.store([("a", "2")])
        try environment.restLog()
        #expect(try environment.readers().filter(\.isPin).count == 1, "there was a write in between")
        try environment.restLog()
        #expect(try environment.readers().filter(\.isPin).isEmpty)
        #expect(try environment.redoStatus()?.logByteCount == 0)
        _ = transaction
        try environment.store([("a", "3")])
        #expect(try environment.readers().filter(\.isPin).count == 1)
        #expect(try environment.redoStatus()?.logByteCount ?? 0 > 0)
    }

    /// Clears the pins as a process does that takes their processes for dead, because it has another pid namespace.
    private func clearPins(_ store: RedoStore) throws {
        let map = try #require(LockFileMap(of: store.path))
        let table = ReaderTable(map, slotCount: 100)
        let pins = table.pins
        #expect(pins.count == 1)
        for slot in 0..<100 {
            let start = LockFileMap.slotsOffset + slot * 64
            // The mark of a pin.
            if map.load(start + 32, as: UInt64.self) != 0 { map.store(UInt32(0), at: start + 8) }
        }
        #expect(table.pins.isEmpty)
        // The descriptor stays open, because closing it would release the locks of this process on the file.
        _ = unsafe Unmanaged.passRetained(map)
    }

    @Test func `a write whose pin another process clears fails, and the next one takes a new pin`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let checkpoint = try #require(try environment.redoStatus()).transaction
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "a", "2")
        try clearPins(store)
        do throws(LMDBError) {
            try transaction.commit()
            Issue.record("the commit used pages of the checkpoint again")
        } catch {
            #expect(error.code == .foreignProcessNamespace && !error.isOutcomeUnknown)
        }
        #expect(try environment.value("a") == "1")
        try environment.store([("a", "3")])
        #expect(try environment.readers().filter(\.isPin).count == 1)
        #expect(try #require(try environment.redoStatus()).transaction > checkpoint, "a new pin holds a new checkpoint")
        #expect(try RedoStore(crashOf: store).value("a") == "3")
    }

    @Test func `a relaxed commit is in the log, and only the first of them waits for its sync`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        CallFaults.withPlan(at: store.path) { $0.watch() }
        func syncs() -> Int { CallFaults.withPlan(at: store.path) { $0.counts[.syncFile] ?? 0 } }
        var counts: [Int] = []
        for number in 2...6 {
            let before = syncs()
            var transaction = try environment.beginWrite(syncsMeta: false)
            try transaction.put(try transaction.database(), "a", "\(number)")
            try transaction.commit()
            counts.append(syncs() - before)
        }
        #expect(counts == [1, 0, 0, 0, 0])
        #expect(try RedoStore(crashOf: store).value("a") == "6")
    }

    @Test func `removing the log leaves a whole data file`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...9 { try environment.store([("a", "\(number)")]) }
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        try RedoFiles.remove(in: crashed.path)
        for name in RedoFiles.names { #expect(!FileManager.default.fileExists(atPath: crashed.path + "/" + name)) }
        let plain = try crashed.open()
        defer { crashed.close() }
        #expect(!plain.logsCommits)
        #expect(try plain.value("a") == "9")
    }

    @Test func `the check of a log finds a damaged entry, while the store is open`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        #expect(try RedoFiles.fault(in: store.path) == nil)
        let file = try FileHandle(forUpdating: store.url(RedoLogFile.name))
        defer { try? file.close() }
        try file.seek(toOffset: 70)
        try file.write(contentsOf: Data([0xFF]))
        #expect(try RedoFiles.fault(in: store.path)?.contains("redo.log is damaged at byte 64") == true)
    }
}
