import Foundation
import Glibc
import TestSupport
import Testing

@testable import LMDB

/// The contents of `lock.mdb`: the holder of the writer, and slots of readers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LockFileTests {
    @Test(.enabled(if: MemoryFileSystem.isAvailable && ForeignProcess.isAvailable))
    func `stores on two file systems with equal inode numbers have locks of their own`() throws {
        let disks = try (0..<2).map { _ in try MemoryFileSystem(byteCount: 8 << 20) }
        for disk in disks {
            try LMDBEnvironment.open(at: disk.path).close()
            try RedoFiles.create(in: disk.path)
        }
        let nodes = disks.map { SystemCalls.node(at: $0.path + "/lock.mdb") }
        #expect(nodes[0]?.inode == nodes[1]?.inode && nodes[0] != nodes[1], "the test needs equal inode numbers")
        let first = try LMDBEnvironment.open(at: disks[0].path)
        let second = try LMDBEnvironment.open(at: disks[1].path)
        defer { second.close() }
        for environment in [first, second] { try environment.store([("a", "1")]) }
        let other = try ForeignProcess()
        try other.ask("open \(disks[0].path) 1073741824")
        try other.ask("hold-writer")
        #expect(first.writingProcess == other.processID)
        #expect(second.writingProcess == nil)
        // It would wait for the other store's writer, or check its pin in the other store's table.
        try second.store([("a", "2")])
        try other.ask("release-writer")
        other.kill()
        first.close()
        try second.store([("a", "3")])
        #expect(try second.value("a") == "3")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `a slot that an ended process with the number of this one has left is freed`() throws {
        let directory = try TemporaryDirectory()
        try LMDBEnvironment.open(at: directory.path).close()
        // Keeps the table in use, so that the next opening does not begin a new one.
        let keeper = try ForeignProcess()
        try keeper.ask("open \(directory.path) 1073741824")
        try keeper.ask("put test a 1")
        let ended = try ForeignProcess()
        try ended.ask("open \(directory.path) 1073741824")
        try ended.ask("hold-snapshot")
        let number = ended.processID
        ended.kill()
        let map = try #require(LockFileMap(of: directory.path))
        // The slot of a process that had the number of this one.
        for slot in 0..<8 {
            let place = LockFileMap.slotsOffset + slot * 64 + 8
            if map.load(place, as: UInt32.self) == UInt32(number) { map.store(UInt32(getpid()), at: place) }
        }
        let environment = try LMDBEnvironment.open(at: directory.path)
        defer { environment.close() }
        #expect(try environment.readers().filter { $0.transactionID != nil } == [])
        withExtendedLifetime(map) {}
        keeper.kill()
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `a running process of another pid namespace with the number of this one keeps its slot`() throws {
        let directory = try TemporaryDirectory()
        try LMDBEnvironment.open(at: directory.path).close()
        let keeper = try ForeignProcess()
        try keeper.ask("open \(directory.path) 1073741824")
        try keeper.ask("put test a 1")
        try keeper.ask("hold-snapshot")
        try keeper.ask("claim-pid \(directory.path) \(getpid())")
        let map = try #require(LockFileMap(of: directory.path))
        for slot in 0..<8 {
            let place = LockFileMap.slotsOffset + slot * 64 + 8
            if map.load(place, as: UInt32.self) == UInt32(keeper.processID) {
                map.store(UInt32(getpid()), at: place)
            }
        }
        let before = (0..<8).map { map.load(LockFileMap.slotsOffset + $0 * 64 + 8, as: UInt32.self) }
        let error = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: directory.path) }
        #expect(error?.code == .foreignProcessNamespace)
        #expect((0..<8).map { map.load(LockFileMap.slotsOffset + $0 * 64 + 8, as: UInt32.self) } == before)
        keeper.kill()
    }

    @Test(.enabled(if: ForeignProcess.isAvailable))
    func `a checkpoint moves the pins of all processes, and no reader`() throws {
        let store = try RedoStore()
        let environment = try store.open()
        defer { store.close() }
        try environment.store([("a", "1")])
        let reader = try environment.beginRead()
        let table = try #require(environment.readerTable)
        let pinned = try #require(table.pins.first?.transactionID)
        let snapshot = reader.snapshot.transactionID
        for number in 2...20 { try environment.store([("a", "\(number)")]) }
        table.movePins(to: UInt64(pinned + 10))
        #expect(table.pins.map(\.transactionID) == [pinned + 10])
        #expect(try environment.readers().contains { !$0.isPin && $0.transactionID == snapshot })
        table.movePins(to: UInt64(pinned))
        #expect(table.pins.map(\.transactionID) == [pinned + 10], "a pin never goes back")
        // It now keeps less than the checkpoint needs, which the test must not rely on.
        try environment.store([("b", "1")])
    }
}
