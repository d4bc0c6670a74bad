import Foundation
import TestSupport
import Testing

@testable import LMDB

/// Files of a store that are missing, cut, swapped, aged or damaged. What is refused is not changed by one byte.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct RecoveryTests {
    /// A store that was left open with entries in its log.
    private func leftOpen(_ count: Int = 5, prefix: String = "") throws -> RedoStore {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...count { try environment.store([("a", "\(prefix)\(number)"), ("\(prefix)\(number)", "x")]) }
        return try RedoStore(crashOf: store)
    }

    private func closed() throws -> RedoStore {
        let store = try leftOpen()
        _ = try store.value("a")
        return try RedoStore(crashOf: store)
    }

    /// Expects that opening fails, for reading and for writing, and changes nothing.
    private func expectRefusal(_ store: RedoStore, _ code: LMDBError.Code, _ text: String) throws {
        let before = try store.everything()
        for isReadOnly in [true, false] {
            let error = #expect(throws: LMDBError.self) {
                try store.open(LMDBEnvironment.Options(isReadOnly: isReadOnly))
            }
            #expect(error?.code == code && error?.detail.contains(text) == true, "\(String(describing: error))")
            #expect(error?.remedy != nil)
            #expect(try store.everything() == before)
        }
    }

    @Test(arguments: RedoFiles.names)
    func `an open store without one of its files is refused, and says which is missing`(name: String) throws {
        let store = try leftOpen()
        try store.remove(name)
        try expectRefusal(store, .redoLogIncomplete, "\(name) is missing, and the store was not closed")
        try store.change("data.mdb") { _ in }
        try? store.remove(RedoFiles.names.first { $0 != name } ?? "")
        try expectRefusal(store, .redoLogIncomplete, "redo.checkpoint is missing, and the store was not closed")
    }

    @Test(arguments: RedoFiles.names, [0, 8, 300, 4_096])
    func `an open store with a cut file is refused`(name: String, count: Int) throws {
        let store = try leftOpen()
        try store.change(name) { $0 = Array($0.prefix(count)) }
        let text = name == CheckpointFile.name ? "redo.checkpoint is cut or damaged" : "redo.log has \(count) bytes"
        try expectRefusal(store, .redoLogIncomplete, text)
    }

    @Test(arguments: [0, 2_048, 4_096, 6_144], [0, 8, 20, 60, 130, 250])
    func `damage to one copy of a record costs nothing`(copy: Int, byte: Int) throws {
        let store = try leftOpen()
        for isZeroed in [false, true] {
            let damaged = try RedoStore(crashOf: store)
            try damaged.change(CheckpointFile.name) { bytes in
                if isZeroed {
                    bytes.replaceSubrange(copy..<copy + CheckpointRecord.byteCount, with: repeatElement(0, count: 256))
                } else {
                    bytes[copy + byte] ^= 1
                }
            }
            #expect(try damaged.value("a") == "5")
        }
    }

    @Test(arguments: [true, false])
    func `an open store does not take an older record for the newest, if that was overwritten`(isBegun: Bool) throws {
        let store = try leftOpen()
        let record = try #require(try ExaminedFiles(in: store.path, readsLog: false).record)
        let slot = Int(record.number % 2) * 4_096
        let before = try #require(
            CheckpointRecord(Array(try store.bytes(CheckpointFile.name)[(4_096 - slot)...].prefix(256))))
        try store.change(CheckpointFile.name) { bytes in
            bytes.replaceSubrange(slot..<slot + 4_096, with: repeatElement(0, count: 4_096))
        }
        // The stamp that follows the record may not be on the disk yet.
        if isBegun {
            try store.change("data.mdb") { bytes in
                let stamp = DataFileStamp(isOpen: true, done: before.identity, begun: record.identity)
                bytes.replaceSubrange(512..<568, with: stamp.bytes)
            }
        }
        try expectRefusal(store, .redoLogIncomplete, "redo.checkpoint")
    }

    @Test(arguments: RedoFiles.names, [-1, 0, 8, 300, 4_096])
    func `a closed store with a missing or cut file is whole, and gets it again`(name: String, count: Int) throws {
        let store = try closed()
        if count < 0 { try store.remove(name) } else { try store.change(name) { $0 = Array($0.prefix(count)) } }
        let before = try store.everything()
        let reader = try store.open(LMDBEnvironment.Options(isReadOnly: true))
        defer { store.close() }
        #expect(try reader.value("a") == "5")
        #expect(try RedoFiles.fault(in: store.path) == nil)
        if count < 0 { #expect(try reader.redoStatus() == nil) }
        store.close()
        #expect(try store.everything() == before)
        let writer = try store.open()
        defer { store.close() }
        #expect(writer.logsCommits)
        #expect(try writer.value("a") == "5")
        #expect(writer.openingNotice?.contains("are made again; nothing is lost") == true)
        try writer.store([("a", "6")])
        #expect(try RedoStore(crashOf: store).value("a") == "6")
    }

    @Test(arguments: [true, false])
    func `the side files of another store do not open a store that was not closed`(isOtherOpen: Bool) throws {
        let store = try leftOpen(20, prefix: "mine")
        let other = try isOtherOpen ? leftOpen(7, prefix: "other") : closed()
        let own = try store.everything()
        for name in RedoFiles.names { try store.take(name, from: other) }
        try expectRefusal(store, .redoLogIncomplete, "redo.checkpoint belongs to another data.mdb")
        // With its own files it has all commits.
        for name in RedoFiles.names { try store.change(name) { $0 = own[name] ?? [] } }
        #expect(try store.value("a") == "mine20")
    }

    @Test(arguments: [true, false])
    func `the side files of another store change nothing, and a closed data file is kept`(isOtherOpen: Bool) throws {
        let store = try closed()
        let other = try isOtherOpen ? leftOpen(7, prefix: "other") : closed()
        for name in RedoFiles.names { try store.take(name, from: other) }
        let before = try store.everything()
        let reader = try store.open(LMDBEnvironment.Options(isReadOnly: true))
        defer { store.close() }
        #expect(try reader.value("a") == "5")
        store.close()
        #expect(try store.everything() == before)
        let writer = try store.open()
        defer { store.close() }
        #expect(writer.openingNotice?.contains("belong to another data.mdb") == true)
        #expect(try writer.value("a") == "5")
        #expect(try store.bytes("redo.log.unused") == before["redo.log"])
        #expect(try store.bytes("redo.checkpoint.unused") == before["redo.checkpoint"])
        try writer.store([("a", "more")])
        #expect(try RedoStore(crashOf: store).value("a") == "more")
    }

    @Test func `the side files of a copy that went on by itself are those of another store`() throws {
        let origin = try closed()
        let crashes = try ["first", "second"].map { name in
            let store = try RedoStore(crashOf: origin)
            let environment = try store.open()
            defer { store.close() }
            try environment.store([("a", name)])
            return try RedoStore(crashOf: store)
        }
        let crashed = crashes[0]
        for name in RedoFiles.names { try crashed.take(name, from: crashes[1]) }
        try expectRefusal(crashed, .redoLogIncomplete, "redo.checkpoint belongs to another data.mdb")
    }

    @Test(arguments: [1, 8, 60])
    func `a data file that is newer than its side files is kept, and no commit of it is lost`(later: Int) throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        let old = try RedoStore(crashOf: store)
        for number in 1...later { try environment.store([("later \(number)", "x"), ("a", "later")]) }
        let mixed = try RedoStore(crashOf: store)
        for name in RedoFiles.names { try mixed.take(name, from: old) }
        let again = try mixed.open()
        defer { mixed.close() }
        #expect(again.openingNotice?.contains("data.mdb has later commits than redo.log") == true)
        #expect(try again.value("a") == "later")
        #expect(try again.value("later \(later)") == "x")
    }

    @Test func `a data file without its newest pages under foreign side files is refused`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        let text = String(repeating: "x", count: 2_000)
        for number in 1...30 { try environment.store([("key \(number)", text)]) }
        store.close()
        let torn = try RedoStore(crashOf: store)
        // The meta pages reached the disk, and the other pages did not.
        try torn.change("data.mdb") { bytes in
            for index in 2 * 4_096..<bytes.count { bytes[index] = 0 }
        }
        let other = try leftOpen()
        for name in RedoFiles.names { try torn.take(name, from: other) }
        try expectRefusal(torn, .damaged, "data.mdb is not whole without its own log")
    }

    @Test(arguments: [true, false])
    func `the files of an earlier version are used only if it closed the store`(isClosed: Bool) throws {
        let store = try RedoStore()
        let environment = try store.open()
        try environment.store([("a", "1")])
        store.close()
        // As that version left them: no stamp, and another record.
        try store.change("data.mdb") { $0.replaceSubrange(512..<576, with: repeatElement(0, count: 64)) }
        try store.change(CheckpointFile.name) { bytes in
            var record = Array("MSREDO1\n".utf8) + [1] + [UInt8](repeating: 0, count: 31)
            record[36] = isClosed ? 1 : 0
            bytes = record + [UInt8](repeating: 0, count: CheckpointFile.byteCount - record.count)
        }
        guard isClosed else { return try expectRefusal(store, .redoLogIncomplete, "written by an earlier version") }
        let again = try store.open()
        defer { store.close() }
        #expect(!again.logsCommits, "the store decides whether it gets a log")
        #expect(try again.value("a") == "1")
    }

    @Test func `a data file that is older than its side files is refused`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...9 { try environment.store([("a", "\(number)")]) }
        try environment.restLog()
        try environment.restLog()
        try environment.store([("a", "10")])
        let mixed = try RedoStore(crashOf: store)
        try mixed.take("data.mdb", from: old)
        try expectRefusal(
            mixed, .redoLogIncomplete, "redo.checkpoint belongs to another data.mdb, or is of another time")
    }

    @Test func `a missing data file is an error that says so`() throws {
        let store = try leftOpen()
        try store.remove("data.mdb")
        try expectRefusal(store, .damaged, "data.mdb is missing")
    }

    @Test func `a damaged entry before one that shows it was on the disk is refused`() throws {
        let store = try leftOpen()
        try store.change(RedoLogFile.name) { $0[70] ^= 1 }
        try expectRefusal(store, .damaged, "redo.log is damaged at byte 64")
    }

    @Test func `a damaged last entry ends the log`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...5 { try environment.store([("a", "\(number)")]) }
        let end = try store.logByteCount()
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        try crashed.change(RedoLogFile.name) { $0[end - 16] ^= 1 }
        #expect(try crashed.value("a") == "4")
    }

    @Test func `a value that holds a log, or its header, is not taken for an entry`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        let log = try store.bytes(RedoLogFile.name).prefix(try store.logByteCount())
        // All earlier entries of the log, and the words by which entries of the earlier format began.
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        for shift in 0..<8 {
            let value = [UInt8](repeating: 0, count: shift) + log + Array(String(repeating: "REDO", count: 5_000).utf8)
            unsafe try transaction.put(database, key: Array("forged \(shift)".utf8).span.bytes, value: value.span.bytes)
        }
        try transaction.commit()
        try environment.store([("a", "6")])
        #expect(try RedoFiles.fault(in: store.path) == nil)
        let crashed = try RedoStore(crashOf: store)
        #expect(try crashed.value("a") == "6")
        store.close()
        #expect(try RedoFiles.fault(in: store.path) == nil)
    }

    @Test func `a log full of the words by which entries begin has no entry`() throws {
        let store = try leftOpen()
        let record = try #require(try ExaminedFiles(in: store.path, readsLog: false).record)
        var content: [UInt8] = []
        for _ in 0..<(1 << 20) / 8 { content.append(littleEndian: record.secret.tag) }
        let entries = RedoEntries(after: record, in: content)
        #expect(entries.list.isEmpty && !entries.isDamaged)
    }

    @Test
    func `a sparse log that is longer than the memory is refused where it is needed, and made again where it is not`()
        throws
    {
        for (store, isOpen) in [(try leftOpen(), true), (try closed(), false)] {
            #expect(unsafe truncate(store.path + "/redo.log", 15 << 40) == 0)
            if isOpen {
                let error = #expect(throws: LMDBError.self) { try store.open() }
                #expect(error?.code == .redoLogIncomplete && error?.detail.contains("which no log has") == true)
            } else {
                let environment = try store.open()
                defer { store.close() }
                #expect(try environment.value("a") == "5")
                #expect(environment.openingNotice != nil)
                #expect(try environment.redoStatus()?.logByteCount == 0)
            }
        }
    }

    @Test func `a recovery that is interrupted anywhere is run again`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let old = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 2...20 { try environment.store([("a", "\(number)"), ("key \(number)", "x")]) }
        let crashed = try RedoStore(crashOf: store)
        try crashed.take("data.mdb", from: old)
        var failures = 0
        for kind in [CallKind.syncFile, .writeFile, .commit, .put] {
            for place in 0..<12 {
                let tried = try RedoStore(crashOf: crashed)
                let fault = CallFaults.withPlan(at: tried.path) { plan in
                    plan.add(kind, .fails(code: FaultCode.diskFull), after: place, times: 1)
                }
                failures += (try? tried.value("a")) == nil ? 1 : 0
                CallFaults.withPlan(at: tried.path) { _ = $0.remove(fault) }
                let againStore = try RedoStore(crashOf: tried)
                let again = try againStore.open()
                defer { againStore.close() }
                #expect(try again.value("a") == "20" && again.value("key 20") == "x", "\(kind) \(place)")
            }
        }
        #expect(failures > 10)
    }

    @Test(.enabled(if: MemoryFileSystem.isAvailable, "needs the right to mount a tmpfs"))
    func `a recovery that finds the disk full says so, and loses nothing`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        try environment.store([("first", "1")])
        // The disk got no page of the later commits, so running them again takes new blocks.
        let early = try RedoStore(crashOf: store, ["data.mdb"])
        for number in 0..<40 { try environment.store([("\(number)", String(repeating: "v", count: 20_000))]) }
        let crash = try RedoStore(crashOf: store, RedoFiles.names + ["lock.mdb"])
        try crash.take("data.mdb", from: early)
        store.close()
        let disk = try MemoryFileSystem(byteCount: 64 << 20)
        for name in RedoStore.files + ["lock.mdb"] {
            try Data(crash.bytes(name)).write(to: URL(fileURLWithPath: disk.path + "/" + name))
        }
        _ = FileManager.default.createFile(atPath: disk.path + "/filler", contents: nil)
        let filler = try #require(FileHandle(forWritingAtPath: disk.path + "/filler"))
        for count in [1 << 20, 4_096] {
            while (try? filler.write(contentsOf: Data(repeating: 1, count: count))) != nil {}
        }
        func files() throws -> [Data] {
            try RedoFiles.names.map { try Data(contentsOf: URL(fileURLWithPath: disk.path + "/" + $0)) }
        }
        let before = try files()
        for isReadOnly in [true, false] {
            let options = LMDBEnvironment.Options(isReadOnly: isReadOnly)
            #expect(code { try LMDBEnvironment.open(at: disk.path, options: options).close() } == .diskFull)
            #expect(try files() == before)
        }
        try FileManager.default.removeItem(atPath: disk.path + "/filler")
        try filler.close()
        let recovered = try LMDBEnvironment.open(at: disk.path)
        defer { recovered.close() }
        #expect(try recovered.value("first") == "1")
        for number in 0..<40 { #expect(try recovered.value("\(number)")?.count == 20_000) }
    }

    @Test func `giving up the log of an open store says how many commits are lost`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        for number in 1...5 { try environment.store([("a", "\(number)")]) }
        let commits = try environment.info().lastTransactionID
        let checkpoint = Int(try #require(try environment.redoStatus()).transaction)
        for name in RedoFiles.names {
            let crashed = try RedoStore(crashOf: store)
            try crashed.remove(name)
            let lost = try RedoFiles.giveUp(in: crashed.path)
            #expect(lost == (name == RedoLogFile.name ? commits - checkpoint : nil))
            let plain = try crashed.open()
            defer { crashed.close() }
            #expect(!plain.logsCommits)
            #expect(try plain.value("a") == (name == RedoLogFile.name ? nil : "5"))
        }
        let damaged = try RedoStore(crashOf: store)
        try damaged.change(RedoLogFile.name) { $0[70] ^= 1 }
        #expect(try RedoFiles.giveUp(in: damaged.path) == commits - checkpoint)
        let sound = try RedoStore(crashOf: store)
        #expect(try RedoFiles.giveUp(in: sound.path) == 0)
        #expect(try sound.value("a") == "5")
    }

    @Test func `a store that was left open meanwhile is noticed after LMDB has opened it`() throws {
        let store = try leftOpen()
        #expect(try RedoRecovery.isLeftOpen(store.path), "its last process was killed")
        do {
            // Another process of ModelStore that uses it has recovered it.
            let mark = try #require(try UseMark(in: store.path))
            defer { mark.end() }
            #expect(try !RedoRecovery.isLeftOpen(store.path))
        }
        #expect(try RedoRecovery.isLeftOpen(store.path))
        #expect(try store.value("a") == "5")
        #expect(try !RedoRecovery.isLeftOpen(store.path), "it was closed")
    }

    @Test(arguments: RedoFiles.names) func `a recovery that may not write to a side file changes nothing`(
        name: String
    ) throws {
        let store = try leftOpen()
        // Not even root may open a directory for writing.
        let kept = store.path + "/" + name
        let content = try store.everything()
        let found = try ExaminedFiles(in: store.path, readsLog: true)
        guard case .run(let last) = found.situation.decision else {
            Issue.record("\(found.situation)")
            return
        }
        try FileManager.default.moveItem(atPath: kept, toPath: kept + ".away")
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
        #expect(throws: LMDBError.self) { try RedoRecovery.run(found, to: last, store.path, LMDBEnvironment.Options()) }
        try FileManager.default.removeItem(atPath: kept)
        try FileManager.default.moveItem(atPath: kept + ".away", toPath: kept)
        #expect(try store.everything() == content)
        #expect(try store.value("a") == "5")
    }
}
