import Foundation
import Glibc
import LMDB
import TestSupport
import Testing

@Suite
struct ForkTests {
    @Test
    func `A forked child is refused every use of an inherited environment`() async {
        await #expect(processExitsWith: .success) {
            let store = try TemporaryStore()
            try store.environment.store([("a", "1")])
            let environment = store.environment
            let isRefused = ForkedChild.run {
                let codes = [
                    code { _ = try environment.beginRead() }, code { _ = try environment.beginWrite() },
                    code { _ = try environment.info() }, code { try environment.clearStaleReaders() },
                    code { try environment.grow(to: 1 << 41, waitingAtMost: 1) },
                ]
                environment.close()
                return codes.allSatisfy { $0 == .forkedChild }
            }
            guard isRefused else { exit(2) }
            // The parent can still use its environment.
            guard try environment.value("a") == "1" else { exit(3) }
            try environment.store([("b", "2")])
        }
    }

    private static func commitFailure(_ transaction: consuming LMDBWriteTransaction) -> LMDBError.Code? {
        do {
            try transaction.commit()
            return nil
        } catch {
            return error.code
        }
    }

    @Test
    func `Inherited transactions end in the child without touching the parent's`() async {
        await #expect(processExitsWith: .success) {
            let store = try TemporaryStore()
            try store.environment.store([("a", "old")])
            let reading = try store.environment.beginRead()
            var writing = try store.environment.beginWrite()
            let database = try writing.database()
            try writing.put(database, "a", "new")
            let readers = try store.environment.readers()
            let child = ForkedChild.fork()
            if child == 0 {
                alarm(20)
                let refused = code { try writing.put(database, "a", "child") }
                // An error thrown out of this body would remove the parent's directory.
                let isCommitRefused = Self.commitFailure(writing) == .forkedChild
                _exit(refused == .forkedChild && isCommitRefused ? 0 : 1)
            }
            var status: Int32 = 0
            guard unsafe waitpid(child, &status, 0) == child, status == 0 else { exit(2) }
            guard try store.environment.readers() == readers else { exit(4) }
            guard try reading.snapshot.value("a") == "old" else { exit(5) }
            try writing.put(database, "b", "parent")
            try writing.commit()
            guard try store.environment.value("a") == "new" else { exit(6) }
        }
    }

    @Test
    func `A forked child may open the store for itself`() async {
        await #expect(processExitsWith: .success) {
            let store = try TemporaryStore()
            try store.environment.store([("a", "1")])
            let path = store.path
            await ForkedChild.waitForTimers()
            let worked = ForkedChild.runOnNewThread {
                let own = try LMDBEnvironment.open(at: path, options: .test)
                defer { own.close() }
                try own.store([("child", "2")])
                return try own.value("a") == "1"
            }
            guard worked else { exit(2) }
            guard try store.environment.value("child") == "2" else { exit(3) }
        }
    }

    @Test
    func `Timers run in a forked child that starts them`() async {
        await #expect(processExitsWith: .success) {
            try Timers.start(for: "")
            await ForkedChild.waitForTimers()
            let worked = ForkedChild.runOnNewThread {
                try Timers.start(for: "")
                var ends: [Int32] = [0, 0]
                guard unsafe pipe(&ends) == 0 else { return false }
                Timers.after(.milliseconds(1)) { [ends] in
                    var byte: UInt8 = 7
                    _ = unsafe write(ends[1], &byte, 1)
                }
                var end = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
                return unsafe poll(&end, 1, 20_000) == 1
            }
            guard worked else { exit(2) }
        }
    }
}
