import Foundation
import LMDB
import Testing

@Suite
struct GrowthTests {
    private static let small = LMDBEnvironment.Options(mapSize: 1 << 20, syncs: false, patienceSeconds: 0.05)
    private static let large = String(repeating: "x", count: 100_000)

    private func fill(_ transaction: inout LMDBWriteTransaction, _ database: LMDBDatabase) throws(LMDBError) {
        for index in 0..<30 { try transaction.put(database, "\(index)", Self.large) }
    }

    /// The test runs in its own process: about a hundred such maps fill a process's address space, and concurrent tests open
    /// stores, too.
    @Test
    func `A map of a terabyte costs a file of some pages`() async {
        await #expect(processExitsWith: .success) {
            let store = try TemporaryStore()
            try store.environment.store([("a", "1")])
            let info = try store.environment.info()
            #expect(info.mapSize == 1 << 40)
            #expect(info.fileBytes < 1 << 20)
            #expect(info.maximumReaders >= 1024)
        }
    }

    @Test
    func `After a full map the transaction is run again in a larger one`() throws {
        let store = try TemporaryStore(Self.small)
        try store.environment.store([("kept", "1")])
        var attempts = 0
        while true {
            attempts += 1
            do {
                var transaction = try store.environment.beginWrite()
                let database = try transaction.database()
                try fill(&transaction, database)
                try transaction.commit()
                break
            } catch let error as LMDBError where error.code == .mapFull {
                #expect(!error.isOutcomeUnknown)
                try store.environment.grow(to: try store.environment.info().mapSize * 2, waitingAtMost: 1)
            }
        }
        #expect(attempts > 1)
        #expect(try store.environment.value("29") == Self.large)
        #expect(try store.environment.value("kept") == "1")
    }

    @Test
    func `A full map in a child fails the child alone`() throws {
        let store = try TemporaryStore(Self.small)
        var parent = try store.environment.beginWrite()
        let database = try parent.database()
        try parent.put(database, "parent", "1")
        var child = try parent.beginChild()
        #expect(code { try fill(&child, database) } == .mapFull)
        let box = UncheckedBox(child)
        #expect(code { try box.take().commit() } == .badTransaction, "committing it would poison the parent")
        var second = try parent.beginChild()
        try second.put(database, "second", "1")
        try second.commit()
        try parent.commit()
        #expect(try store.environment.value("parent") == "1")
        #expect(try store.environment.value("second") == "1")
        #expect(try store.environment.value("0") == nil)
    }

    @Test
    func `Growth never moves the map under a reader or the writer`() throws {
        let store = try TemporaryStore(Self.small)
        try store.environment.store([("a", "1")])
        do {
            let transaction = try store.environment.beginRead()
            let error = #expect(throws: LMDBError.self) {
                try store.environment.grow(to: 1 << 24, waitingAtMost: 0.01)
            }
            #expect(error?.code == .growthBlocked)
            #expect(error?.remedy?.contains("keep read transactions short") == true)
            #expect(try transaction.snapshot.value("a") == "1")
        }
        let transaction = try store.environment.beginWrite()
        #expect(code { try store.environment.grow(to: 1 << 24, waitingAtMost: 0.01) } == .busy, "it waits for itself")
        transaction.abort()
        try store.environment.grow(to: 1 << 24, waitingAtMost: 0.01)
        #expect(try store.environment.info().mapSize == 1 << 24)
        try store.environment.grow(to: 1 << 20, waitingAtMost: 0.01)
        #expect(try store.environment.info().mapSize == 1 << 24, "it never shrinks")
        #expect(try store.environment.value("a") == "1")
    }

    @Test
    func `Growth amid readers and writers on other threads`() throws {
        let store = try TemporaryStore(LMDBEnvironment.Options(mapSize: 1 << 24, syncs: false))
        try store.environment.store([("a", "1")])
        DispatchQueue.concurrentPerform(iterations: 4) { worker in
            for round in 1...50 {
                #expect(throws: Never.self) {
                    switch worker {
                    case 0: try store.environment.grow(to: (1 << 24) + round << 16, waitingAtMost: 60)
                    case 1: try store.environment.store([("\(round)", "1")])
                    default: #expect(try store.environment.value("a") == "1")
                    }
                }
            }
        }
    }

    @Test(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
    func `Another process's growth is taken over`() throws {
        let store = try TemporaryStore(Self.small)
        try store.environment.store([("a", "1")])
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 26)")
        try other.ask("fill test 100 100000")
        #expect(try store.environment.value("00000099")?.count == 100_000)
        #expect(try store.environment.info().mapSize >= 10_000_000)
        try other.ask("grow \(1 << 28)")
        try other.ask("fill test 1000 100000")
        try store.environment.store([("b", "2")])
        #expect(try store.environment.value("00000999")?.count == 100_000)
    }

    @Test(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
    func `Another process's growth waits for this one's readers, for a while`() throws {
        let store = try TemporaryStore(Self.small)
        try store.environment.store([("a", "1")])
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 26)")
        do {
            let transaction = try store.environment.beginRead()
            try other.ask("fill test 100 100000")
            #expect(code { _ = try store.environment.beginRead() } == .growthBlocked)
            #expect(code { _ = try store.environment.beginWrite() } == .growthBlocked)
            #expect(try transaction.snapshot.value("a") == "1")
        }
        #expect(try store.environment.value("00000099")?.count == 100_000)
    }

    /// Whether the test runs under a sanitizer, whose shadow memory takes more address space than the limit leaves.
    private static let isSanitized = unsafe dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    @Test(.enabled(if: !isSanitized, "a sanitizer needs the address space"))
    func `Where address space is limited the map is smaller`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 8 << 30, rlim_max: 8 << 30)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(2) }
            let store = try TemporaryStore()
            let size = try store.environment.info().mapSize
            try store.environment.store([("a", "1")])
            guard size >= 1 << 28, size <= 4 << 30, try store.environment.value("a") == "1" else { exit(3) }
            // An impossible growth is refused before the old map is removed.
            guard code({ try store.environment.grow(to: 1 << 40, waitingAtMost: 1) }) == .addressSpace else { exit(4) }
            guard try store.environment.value("a") == "1" else { exit(5) }
        }
    }
}
