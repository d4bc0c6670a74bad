import Foundation
import Glibc
import TestSupport
import Testing

@testable import LMDB

/// The redo log with real files. The loss of power is a copy of the files from another boot: the data file as the last checkpoint
/// left it on the disk, or as the page cache has it.
@Suite struct RedoLogTests {
    private static let files = ["data.mdb"] + RedoFiles.names

    /// Opens an environment with a redo log, which is made if it is missing.
    private func open(
        _ directory: TemporaryDirectory, options: LMDBEnvironment.Options = LMDBEnvironment.Options()
    ) throws -> LMDBEnvironment {
        if !RedoFiles.exist(in: directory.path) {
            try LMDBEnvironment.open(at: directory.path).close()
            try RedoFiles.create(in: directory.path)
        }
        return try LMDBEnvironment.open(at: directory.path, options: options)
    }

    private func copy(_ source: String, _ names: [String] = files) throws -> TemporaryDirectory {
        let target = try TemporaryDirectory()
        for name in names {
            try FileManager.default.copyItem(atPath: source + "/" + name, toPath: target.path + "/" + name)
        }
        return target
    }

    private func logByteCount(_ path: String) throws -> Int {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + RedoLogFile.name)))
        let file = try #require(try CheckpointFile(in: path, isReadOnly: true))
        defer { file.close() }
        let record = try #require(try file.newest())
        var tail = RedoTail(after: record)
        while let entry = RedoEntry(in: bytes, at: tail.offset), tail.isFollowed(by: entry, of: record) {
            tail.advance(past: entry)
        }
        return tail.offset
    }

    @Test func `a store that has a log keeps it`() throws {
        let directory = try TemporaryDirectory()
        let first = try open(directory)
        #expect(first.logsCommits)
        try first.store([("a", "1")])
        #expect(try logByteCount(directory.path) > 0)
        first.close()
        #expect(try logByteCount(directory.path) == 0, "a clean close makes a checkpoint")
        let second = try LMDBEnvironment.open(at: directory.path)
        #expect(second.logsCommits)
        #expect(try second.value("a") == "1")
        second.close()
    }

    @Test func `an existing store gets a log too`() throws {
        let directory = try TemporaryDirectory()
        let plain = try LMDBEnvironment.open(at: directory.path)
        try plain.store([("a", "1")])
        plain.close()
        let logged = try open(directory)
        defer { logged.close() }
        #expect(logged.logsCommits)
        try logged.store([("b", "2")])
        #expect(try logged.value("a") == "1")
        #expect(try logged.value("b") == "2")
    }

    @Test func `the log brings back all commits after the checkpoint, with LMDB's own numbers`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        try environment.store([("a", "1"), ("b", "1")])
        let old = try copy(directory.path, ["data.mdb"])
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

        let crashed = try copy(directory.path, RedoFiles.names)
        try FileManager.default.copyItem(atPath: old.path + "/data.mdb", toPath: crashed.path + "/data.mdb")
        try OtherBoot.enter(crashed.path)
        let again = try LMDBEnvironment.open(at: crashed.path)
        defer { again.close() }
        #expect(try again.value("a") == "40")
        #expect(try again.value("key 17") == "x")
        #expect(try again.value("b") == nil)
        #expect(try again.value("aborted") == nil)
        #expect(try again.value("o", in: "other") == "1")
        #expect(try again.info().lastTransactionID == newest)
        try again.store([("c", "3")])
        #expect(try again.value("c") == "3")
    }

    @Test func `in the same boot nothing is run, whoever was killed`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        for number in 1...10 { try environment.store([("a", "\(number)")]) }
        let killed = try copy(directory.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: killed.path + "/data.mdb"))
        let again = try LMDBEnvironment.open(at: killed.path)
        #expect(try again.value("a") == "10")
        #expect(try Data(contentsOf: URL(fileURLWithPath: killed.path + "/data.mdb")) == before)
        again.close()
    }

    @Test func `a commit that is too large for the log is durable by a checkpoint`() throws {
        let directory = try TemporaryDirectory()
        var options = LMDBEnvironment.Options()
        options.redoLimits.entryByteCount = 2_000
        let environment = try open(directory, options: options)
        defer { environment.close() }
        try environment.store([("small", "1")])
        #expect(try logByteCount(directory.path) > 0)
        try environment.store((0..<100).map { ("large \($0)", String(repeating: "x", count: 50)) })
        #expect(try logByteCount(directory.path) == 0)
        let crashed = try copy(directory.path)
        try OtherBoot.enter(crashed.path)
        let again = try LMDBEnvironment.open(at: crashed.path)
        defer { again.close() }
        #expect(try again.value("large 99") != nil)
        #expect(try again.value("small") == "1")
    }

    @Test func `a commit that fails after its entry was written does not come back`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        try environment.store([("a", "1")])
        let end = try logByteCount(directory.path)
        let fault = CallFaults.withPlan(at: directory.path) { plan in
            plan.add(.commit, .fails(code: FaultCode.diskFull), after: 0, times: 1)
        }
        let error = #expect(throws: LMDBError.self) { try environment.store([("a", "failed"), ("b", "failed")]) }
        #expect(error?.isOutcomeUnknown == false)
        let removed = CallFaults.withPlan(at: directory.path) { $0.remove(fault) }
        #expect(removed == 1)
        #expect(try logByteCount(directory.path) == end)
        let crashed = try copy(directory.path)
        try OtherBoot.enter(crashed.path)
        let again = try LMDBEnvironment.open(at: crashed.path)
        #expect(try again.value("a") == "1")
        #expect(try again.value("b") == nil)
        again.close()
        try environment.store([("a", "2")])
        #expect(try logByteCount(directory.path) > end, "the next commit takes the place of the failed one")
    }

    /// Linux takes the pages of a failed sync for written. Pages that no later write touches then never reach the disk.
    @Test func `after another process's sync of the log has failed, the next write does not build on the log`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        for number in 1...5 { try environment.store([("a \(number)", String(repeating: "x", count: 3_000))]) }
        let url = URL(fileURLWithPath: directory.path + "/" + RedoLogFile.name)
        let lost = [UInt8](try Data(contentsOf: url))
        let side = try #require(try CheckpointFile(in: directory.path, isReadOnly: false))
        defer { side.close() }
        try side.add(.log)
        try environment.store([("b", "1")])
        #expect(try side.flags() == [])

        var onDisk = [UInt8](try Data(contentsOf: url))
        for page in stride(from: 0, to: min(lost.count, onDisk.count), by: 4_096) {
            let bytes = page..<min(page + 4_096, lost.count, onDisk.count)
            guard onDisk[bytes] == lost[bytes] else { continue }
            onDisk.replaceSubrange(bytes, with: repeatElement(0, count: bytes.count))
        }
        let crashed = try copy(directory.path)
        try Data(onDisk).write(to: URL(fileURLWithPath: crashed.path + "/" + RedoLogFile.name))
        try OtherBoot.enter(crashed.path)
        let again = try LMDBEnvironment.open(at: crashed.path)
        defer { again.close() }
        for number in 1...5 { #expect(try again.value("a \(number)") != nil) }
        #expect(try again.value("b") == "1")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `an open that finds another process recovering waits for it, and not for its end`() async throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        try environment.store([("a", "1")])
        let crashed = try copy(directory.path)
        environment.close()
        try OtherBoot.enter(crashed.path)
        let other = try ForeignProcess()
        try other.ask("open \(crashed.path) 1073741824")
        var impatient = LMDBEnvironment.Options()
        impatient.patienceSeconds = 0
        let refused = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: crashed.path, options: impatient) }
        #expect(refused?.code == .busy)
        #expect(refused?.detail.contains("has to be recovered") == true)
        // The other process has recovered the store, and keeps it open.
        try OtherBoot.enter(crashed.path, boot: BootIdentity.current)
        let again = try LMDBEnvironment.open(at: crashed.path, options: impatient)
        #expect(try again.value("a") == "1")
        again.close()
        other.kill()
    }

    @Test func `a damaged entry before one that shows it was on the disk is an error that changes nothing`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        let crashed = try copy(directory.path)
        try OtherBoot.enter(crashed.path)
        let url = URL(fileURLWithPath: crashed.path + "/" + RedoLogFile.name)
        var bytes = [UInt8](try Data(contentsOf: url))
        bytes[60] ^= 1
        try Data(bytes).write(to: url)
        let before = try Data(contentsOf: URL(fileURLWithPath: crashed.path + "/data.mdb"))
        let error = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: crashed.path) }
        #expect(error?.code == .damaged && error?.detail.contains("redo.log is damaged at byte 0") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: crashed.path + "/data.mdb")) == before)
    }

    @Test func `a damaged last entry ends the log`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        let end = try logByteCount(directory.path)
        let crashed = try copy(directory.path)
        try OtherBoot.enter(crashed.path)
        let url = URL(fileURLWithPath: crashed.path + "/" + RedoLogFile.name)
        var bytes = [UInt8](try Data(contentsOf: url))
        bytes[end - 16] ^= 1
        try Data(bytes).write(to: url)
        let again = try LMDBEnvironment.open(at: crashed.path)
        defer { again.close() }
        #expect(try again.value("a") == "4")
    }

    @Test func `a missing file of the log, or a data file of before, is an error that says so`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        try environment.store([("a", "1")])
        let old = try copy(directory.path, ["data.mdb"])
        for name in ["data.mdb", RedoLogFile.name] {
            let incomplete = try copy(directory.path, Self.files.filter { $0 != name })
            let error = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: incomplete.path) }
            #expect(error?.detail.contains("\(name) is missing") == true)
        }
        for number in 1...20 { try environment.store([("a", "\(number)")]) }
        let closing = try open(directory)
        closing.close()
        let mixed = try copy(directory.path, RedoFiles.names)
        try FileManager.default.copyItem(atPath: old.path + "/data.mdb", toPath: mixed.path + "/data.mdb")
        try OtherBoot.enter(mixed.path)
        // The data file is not older than the checkpoint, so its commits are those of the log.
        let again = try LMDBEnvironment.open(at: mixed.path)
        #expect(try again.value("a") == "20")
        again.close()
        let newer = try copy(mixed.path, RedoFiles.names)
        try FileManager.default.copyItem(atPath: old.path + "/data.mdb", toPath: newer.path + "/data.mdb")
        try OtherBoot.enter(newer.path)
        let error = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: newer.path) }
        #expect(error?.detail.contains("data.mdb is older than redo.checkpoint") == true)
    }

    @Test func `the log is short again after a checkpoint, which comes with its length or the growth of the file`()
        throws
    {
        for (log, growth) in [(4_000, 1 << 30), (1 << 20, 20 * 4_096)] {
            let directory = try TemporaryDirectory()
            var options = LMDBEnvironment.Options()
            options.redoLimits.logByteCount = log
            options.redoLimits.growthByteCount = growth
            let environment = try open(directory, options: options)
            defer { environment.close() }
            var lengths: [Int] = []
            for number in 1...200 {
                try environment.store([("key \(number % 7)", String(repeating: "x", count: 100))])
                lengths.append(try logByteCount(directory.path))
            }
            #expect(zip(lengths, lengths.dropFirst()).filter { $1 < $0 }.count > 3)
            #expect(lengths.max() ?? 0 < 10_000)
            #expect(try environment.info().fileBytes < 300 * 4_096, "the pages that a checkpoint frees are used again")
        }
    }

    @Test func `after a clean close the data file is whole by itself, also if another program writes to it`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        environment.close()
        let alone = try copy(directory.path, ["data.mdb"])
        let plain = try LMDBEnvironment.open(at: alone.path)
        #expect(!plain.logsCommits)
        #expect(try plain.value("a") == "5")
        for number in 6...30 { try plain.store([("a", "\(number)"), ("foreign", "\(number)")]) }
        plain.close()
        // The other program wrote to the data file only, and then the system crashed.
        let crashed = try copy(directory.path, RedoFiles.names)
        try FileManager.default.copyItem(atPath: alone.path + "/data.mdb", toPath: crashed.path + "/data.mdb")
        try OtherBoot.enter(crashed.path)
        let again = try open(crashed)
        defer { again.close() }
        #expect(try again.value("a") == "30")
        try again.store([("b", "1")])
        #expect(try again.value("foreign") == "30")
    }

    @Test func `a process that writes nothing gives up its pin, and the next write takes another`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
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
    private func clearPins(_ directory: TemporaryDirectory) throws {
        // LMDB 0.9's lock file: the number of slots, and the process and our mark within a slot.
        let (countOffset, slotsOffset, slotByteCount, processOffset, markOffset) = (56, 128, 64, 8, 32)
        // The descriptor stays open, because closing it would release the locks of this process on the file.
        let descriptor = unsafe Glibc.open(directory.path + "/lock.mdb", O_RDWR)
        try #require(descriptor >= 0)
        var count: UInt32 = 0
        try #require(unsafe pread(descriptor, &count, 4, countOffset) == 4)
        var cleared = 0
        for slot in 0..<Int(count) {
            let start = slotsOffset + slot * slotByteCount
            var (mark, process): (UInt64, UInt32) = (0, 0)
            try #require(unsafe pread(descriptor, &mark, 8, start + markOffset) == 8)
            guard mark != 0 else { continue }
            try #require(unsafe pwrite(descriptor, &process, 4, start + processOffset) == 4)
            cleared += 1
        }
        #expect(cleared == 1)
    }

    @Test func `a write whose pin another process clears fails, and the next one takes a new pin`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        try environment.store([("a", "1")])
        let checkpoint = try #require(try environment.redoStatus()).transaction
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "a", "2")
        try clearPins(directory)
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
        let crashed = try copy(directory.path)
        try OtherBoot.enter(crashed.path)
        let again = try LMDBEnvironment.open(at: crashed.path)
        defer { again.close() }
        #expect(try again.value("a") == "3")
    }

    @Test func `removing the log leaves a whole data file, also after a crash of the system`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        try environment.store([("a", "1")])
        let old = try copy(directory.path, ["data.mdb"])
        for number in 2...9 { try environment.store([("a", "\(number)")]) }
        let crashed = try copy(directory.path, RedoFiles.names)
        try FileManager.default.copyItem(atPath: old.path + "/data.mdb", toPath: crashed.path + "/data.mdb")
        try OtherBoot.enter(crashed.path)
        try RedoFiles.remove(in: crashed.path)
        #expect(!FileManager.default.fileExists(atPath: crashed.path + "/" + RedoLogFile.name))
        let plain = try LMDBEnvironment.open(at: crashed.path)
        defer { plain.close() }
        #expect(!plain.logsCommits)
        #expect(try plain.value("a") == "9")
    }

    @Test func `the check of a log finds a damaged entry, while the store is open`() throws {
        let directory = try TemporaryDirectory()
        let environment = try open(directory)
        defer { environment.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        #expect(try RedoFiles.fault(in: directory.path) == nil)
        let url = URL(fileURLWithPath: directory.path + "/" + RedoLogFile.name)
        let file = try FileHandle(forUpdating: url)
        defer { try? file.close() }
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0xFF]))
        #expect(try RedoFiles.fault(in: directory.path)?.contains("redo.log is damaged at byte 0") == true)
    }
}
