import Foundation
import LMDB
import Synchronization
import Testing

@Suite
struct SharingTests {
    @Test
    func `A second open shares the first, whatever path it came by`() throws {
        let store = try TemporaryStore()
        let link = store.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let second = try LMDBEnvironment.open(at: link, options: .test)
        #expect(second === store.environment)
        second.close()
        #expect(throws: Never.self) { try store.environment.store([("a", "1")]) }
    }

    @Test
    func `Two opens that write at once lose nothing`() throws {
        let store = try TemporaryStore()
        let failures = HandoverMutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            do {
                for round in 0..<75 {
                    let environment = try LMDBEnvironment.open(at: store.path, options: .test)
                    defer { environment.close() }
                    try environment.store([("\(worker)-\(round)", "acknowledged")])
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        for worker in 0..<4 {
            for round in 0..<75 { #expect(try store.environment.value("\(worker)-\(round)") == "acknowledged") }
        }
    }

    @Test
    func `A second open leaves the readers' slots alone`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "old")])
        let transaction = try store.environment.beginRead()
        let before = try store.environment.readers().filter { $0.transactionID != nil }
        let second = try LMDBEnvironment.open(at: store.path, options: .test)
        second.close()
        #expect(try store.environment.readers().filter { $0.transactionID != nil } == before)
        #expect(try transaction.snapshot.value("a") == "old")
    }

    @Test(arguments: [
        LMDBEnvironment.Options(isReadOnly: true, syncs: false),
        LMDBEnvironment.Options(syncs: true),
        LMDBEnvironment.Options(mapSize: 1 << 41, syncs: false),
        LMDBEnvironment.Options(maximumReaders: 4096, syncs: false),
        LMDBEnvironment.Options(maximumDatabases: 4096, syncs: false),
    ])
    func `A second open with other options is refused`(options: LMDBEnvironment.Options) throws {
        let store = try TemporaryStore()
        #expect(code { _ = try LMDBEnvironment.open(at: store.path, options: options) } == .conflictingOptions)
    }

    @Test
    func `The last close closes, and a new open starts afresh`() throws {
        let directory = try TemporaryDirectory()
        let first = try LMDBEnvironment.open(at: directory.path, options: .test)
        let second = try LMDBEnvironment.open(at: directory.path, options: .test)
        try first.store([("a", "1")])
        first.close()
        #expect(try second.value("a") == "1")
        second.close()
        second.close()
        #expect(code { _ = try second.beginRead() } == .closed)
        #expect(code { _ = try second.beginWrite() } == .closed)
        #expect(code { _ = try second.info() } == .closed)
        let third = try LMDBEnvironment.open(at: directory.path, options: .test)
        #expect(third !== first)
        #expect(try third.value("a") == "1")
        third.close()
    }

    @Test
    func `The last close waits for a running transaction`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        try environment.store([("a", "1")])
        let box = HandoverMutex<LMDBReadTransaction?>(try environment.beginRead())
        let isClosed = Atomic(false)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            environment.close()
            isClosed.store(true, ordering: .sequentiallyConsistent)
            done.signal()
        }
        // New transactions are refused once the close has begun. The running one can still read.
        while code({ _ = try environment.beginRead() }) != .closed { Thread.yieldNow() }
        let wasClosed = isClosed.load(ordering: .sequentiallyConsistent)
        #expect(!wasClosed)
        #expect(try box.withLock { try $0?.snapshot.value("a") } == "1")
        box.withLock { $0 = nil }
        done.wait()
        let hasClosed = isClosed.load(ordering: .sequentiallyConsistent)
        #expect(hasClosed)
    }

    @Test
    func `A data file that was replaced under an open store is not opened beside it`() throws {
        let store = try TemporaryStore()
        try FileManager.default.removeItem(atPath: store.path + "/data.mdb")
        #expect(code { _ = try LMDBEnvironment.open(at: store.path, options: .test) } == .busy)
    }

    @Test
    func `The file's identity names the data file`() throws {
        let store = try TemporaryStore()
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "/data.mdb")
        let identity = store.environment.fileIdentity
        #expect(identity.inode == attributes[.systemFileNumber] as? UInt64)
        if let birth = identity.birthNanoseconds { #expect(birth > 1_600_000_000_000_000_000) }
    }
}

extension Thread {
    static func yieldNow() {
        sched_yield()
    }
}
