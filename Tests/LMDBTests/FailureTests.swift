import Foundation
import Glibc
import Synchronization
import Testing

@testable import LMDB

@Suite
struct FailureTests {
    /// Runs `body` while LMDB's descriptor for synced meta pages refuses writes. LMDB sees the same errors when the disk fails at
    /// that moment.
    private func withFailingMetaWrites(_ path: String, _ body: () throws -> Void) throws {
        let data = URL(fileURLWithPath: path + "/data.mdb").resolvingSymlinksInPath().path
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let meta = try #require(
            descriptors.first { descriptor in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                return target == data && fcntl(descriptor, F_GETFL) & O_DSYNC != 0
            })
        let saved = dup(meta)
        let readOnly = unsafe open(data, O_RDONLY)
        dup2(readOnly, meta)
        defer {
            dup2(saved, meta)
            close(saved)
            close(readOnly)
        }
        try body()
    }

    @Test
    func `A failed meta page leaves the outcome unknown, and only reopening helps`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: LMDBEnvironment.Options())
        let shared = try LMDBEnvironment.open(at: directory.path, options: LMDBEnvironment.Options())
        try environment.store([("kept", "1")])
        var failure: LMDBError?
        try withFailingMetaWrites(directory.path) {
            failure = #expect(throws: LMDBError.self) { try environment.store([("a", "1")]) }
        }
        #expect(failure?.isOutcomeUnknown == true)
        #expect(failure?.detail.contains("unknown") == true)
        let panicked = #expect(throws: LMDBError.self) { _ = try environment.beginRead() }
        #expect(panicked?.code == .panicked)
        #expect(panicked?.remedy?.contains("open it again") == true)
        #expect(code { _ = try environment.beginWrite() } == .panicked)
        #expect(code { _ = try LMDBEnvironment.open(at: directory.path) } == .panicked, "still open twice")
        shared.close()
        environment.close()
        let again = try LMDBEnvironment.open(at: directory.path, options: LMDBEnvironment.Options())
        defer { again.close() }
        let isUnsettled = again.isUnsettled.load(ordering: .relaxed)
        #expect(isUnsettled, "the file still lacks the synced meta pages")
        #expect(try again.value("kept") == "1")
        let before = CallFaults.withPlan(at: again.path) { plan in
            plan.watch()
            return plan.counts
        }
        try again.store([("b", "2")])
        let after = CallFaults.withPlan(at: again.path) { plan in
            plan.unwatch()
            return plan.counts
        }
        for kind in [CallKind.writeFile, .sync] {
            #expect(after[kind, default: 0] == before[kind, default: 0] + 1, "the meta pages are written again")
        }
        let isStillUnsettled = again.isUnsettled.load(ordering: .relaxed)
        #expect(!isStillUnsettled)
        #expect(try again.value("b") == "2")
    }

    @Test
    func `Without a synced meta page no synced write happens`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: LMDBEnvironment.Options())
        defer { environment.close() }
        func put(syncsMeta: Bool) throws {
            var transaction = try environment.beginWrite(syncsMeta: syncsMeta)
            let database = try transaction.database()
            try transaction.put(database, "a", "\(syncsMeta)")
            try transaction.commit()
        }
        try put(syncsMeta: true)
        try withFailingMetaWrites(directory.path) { try put(syncsMeta: false) }
        #expect(try environment.value("a") == "false")
        try put(syncsMeta: true)
        #expect(try environment.value("a") == "true")
    }

    @Test
    func `A thread that ends inside a write transaction panics the environment, and reopening heals it`() throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        try environment.store([("a", "1")])
        let leaked = HandoverMutex<UncheckedBox?>(nil)
        onThread {
            guard var transaction = try? environment.beginWrite() else { return }
            guard let database = try? transaction.database() else { return }
            _ = try? transaction.put(database, "a", "2")
            let box = UncheckedBox(transaction)
            leaked.withLock { $0 = box }
        }
        #expect(code { _ = try environment.beginWrite() } == .panicked, "not a wait without end")
        #expect(code { _ = try LMDBEnvironment.open(at: directory.path, options: .test) } == .panicked)
        #expect(try environment.value("a") == "1", "readers go on")
        leaked.withLock { $0 = nil }
        environment.close()
        let again = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { again.close() }
        try again.store([("b", "2")])
        #expect(try again.value("a") == "1")
        #expect(try again.value("b") == "2")
    }

    @Test
    func `An error says what, where and how to mend it`() throws {
        let error = LMDBError(
            .mapFull, operation: "mdb_put", path: "/some/store", systemCode: -30792, detail: "the map has no free page",
            remedy: "grow it")
        #expect(
            error.description
                == "[mapFull] mdb_put: the map has no free page, in /some/store (code -30792); grow it")
    }
}
