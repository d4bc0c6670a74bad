import Foundation
import LMDB
import Synchronization
import Testing

@Suite
struct ThreadRuleTests {
    @Test
    func `One thread may hold many snapshots at a time`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        let first = try store.environment.beginRead()
        let second = try store.environment.beginRead()
        try store.environment.store([("a", "2")])
        let third = try store.environment.beginRead()
        #expect(try first.snapshot.value("a") == "1")
        #expect(try second.snapshot.value("a") == "1")
        #expect(try third.snapshot.value("a") == "2")
    }

    @Test
    func `A snapshot outlives the thread that opened it`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        let box = HandoverMutex<LMDBReadTransaction?>(nil)
        onThread {
            box.withLock { $0 = try? store.environment.beginRead() }
        }
        for round in 0..<20 { try store.environment.store([("a", "new \(round)")]) }
        let held = try store.environment.readers().compactMap(\.transactionID)
        #expect(held.count == 1)
        let value = try box.withLock { try $0?.snapshot.value("a") }
        #expect(value == "1")
        box.withLock { $0 = nil }
    }

    @Test
    func `A write transaction refuses another thread and still commits on its own`() throws {
        let store = try TemporaryStore()
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        let box = UncheckedBox(transaction)
        onThread {
            box.use { transaction in
                #expect(code { try transaction.put(database, "a", "elsewhere") } == .wrongThread)
                #expect(code { _ = try transaction.beginChild() } == .wrongThread)
            }
        }
        var own = box.take()
        try own.put(database, "a", "here")
        try own.commit()
        #expect(try store.environment.value("a") == "here")
    }

    @Test
    func `A commit on another thread is refused, and the next begin on its own thread frees the lock`() throws {
        let store = try TemporaryStore()
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "a", "lost")
        let box = UncheckedBox(transaction)
        onThread {
            #expect(code { try box.take().commit() } == .wrongThread)
            #expect(code { _ = try store.environment.beginWrite() } == .wrongThread, "not a deadlock")
        }
        try store.environment.store([("b", "kept")])
        #expect(try store.environment.value("a") == nil)
        #expect(try store.environment.value("b") == "kept")
        onThread { #expect(throws: Never.self) { try store.environment.store([("c", "kept")]) } }
    }

    @Test
    func `A second write transaction on a thread is an error, not a deadlock`() throws {
        let store = try TemporaryStore()
        let transaction = try store.environment.beginWrite()
        #expect(code { _ = try store.environment.beginWrite() } == .busy)
        transaction.abort()
        #expect(throws: Never.self) { try store.environment.beginWrite().abort() }
    }

    @Test
    func `Writers on many threads take turns while readers go on`() throws {
        let store = try TemporaryStore()
        let failures = HandoverMutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            do {
                for round in 0..<50 {
                    try store.environment.store([("\(worker)-\(round)", "value")])
                    _ = try store.environment.value("\(worker)-\(round)")
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        let transaction = try store.environment.beginRead()
        let database = try #require(try transaction.snapshot.openDatabase(named: "test"))
        #expect(try transaction.snapshot.statistics(of: database).entries == 400)
    }

    @Test
    func `A parent is unusable while its child runs, and an ended family cannot be used`() throws {
        let store = try TemporaryStore()
        var parent = try store.environment.beginWrite()
        let database = try parent.database()
        var child = try parent.beginChild()
        #expect(code { try parent.put(database, "a", "1") } == .badTransaction)
        #expect(code { _ = try parent.beginChild() } == .badTransaction)
        #expect(code { _ = try parent.snapshot.value("a") } == .badTransaction)
        try child.put(database, "a", "child")
        parent.abort()
        #expect(code { try child.put(database, "a", "2") } == .badTransaction)
        #expect(code { _ = try child.snapshot.value("a") } == .badTransaction)
        child.abort()
        #expect(try store.environment.value("a") == nil)
    }

    @Test
    func `A parent that is committed with a live child undoes both`() throws {
        let store = try TemporaryStore()
        var parent = try store.environment.beginWrite()
        let database = try parent.database()
        try parent.put(database, "a", "1")
        let child = try parent.beginChild()
        let box = UncheckedBox(parent)
        #expect(code { try box.take().commit() } == .badTransaction)
        child.abort()
        #expect(try store.environment.value("a") == nil)
        #expect(throws: Never.self) { try store.environment.store([("a", "2")]) }
    }
}

/// Moves a transaction to a thread that must not use it, which the type system would forbid.
///
/// `@unchecked Sendable`: the test hands it over and waits. The transaction refuses all calls of the other thread, which is the
/// purpose of the test.
final class UncheckedBox: @unchecked Sendable {
    private var transaction: LMDBWriteTransaction?

    init(_ transaction: consuming LMDBWriteTransaction) {
        self.transaction = consume transaction
    }

    func use(_ body: (inout LMDBWriteTransaction) -> Void) {
        body(&transaction!)
    }

    func take() -> LMDBWriteTransaction {
        transaction.take()!
    }
}

/// Runs `body` on its own thread, and returns once that thread has ended.
func onThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.start()
    done.wait()
}

/// Returns the code of the LMDB error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> LMDBError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? LMDBError)?.code
    }
}
