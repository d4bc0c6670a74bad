import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Reading while another process adds record types.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ForeignDeclarationTests {
    @Test func `reading goes on while another process adds record types and commits right after`() async throws {
        let child = try ForeignChild()
        let history = try ForeignHistory(seed: 1, child, types: [Sensor.self])
        let types = history.store.recordTypes
        let id: [DynamicValue] = [.string("none")]
        for number in 0..<60 {
            child.sendDeclaration("Foreign\(number)")
            for _ in 0..<3 { child.send([.delete(type: 0, id: id)], types) }
            let values: [DynamicValue] = [
                .string("s"), .string("hall"), .string("A"), .double(Double(number)), .none, .string("attic"),
            ]
            for _ in 0..<3 { child.send([.put(type: 0, DynamicRecord(values: values), .upsert)], types) }
        }
        var declared = 0
        for answered in 1...(60 * 7) {
            _ = try child.answer()
            let count = try history.store.read { tx in try tx.count(Sensor.self) }
            #expect(count <= 1)
            if answered % 7 == 1 { declared += 1 }
            #expect(history.store.recordTypes.count > declared)
        }
        try await history.end()
    }

    @Test func `threads that read at once all read on while another process adds record types`() throws {
        let child = try ForeignChild()
        let history = try ForeignHistory(seed: 1, child, types: [Sensor.self])
        let store = history.store
        for number in 0..<100 { child.sendDeclaration("Foreign\(number)") }
        let failures = Mutex<[any Error]>([])
        let threads = (0..<8).map { _ in
            let end = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                do {
                    // The loop runs until the reader sees all types.
                    while try store.read({ tx in tx._reading.catalog.types.count }) < 101 {}
                } catch {
                    failures.withLock { $0.append(error) }
                }
                end.signal()
            }
            return end
        }
        for thread in threads { thread.wait() }
        #expect(failures.withLock { $0 }.isEmpty)
        for _ in 0..<100 { _ = try child.answer() }
        store.close()
        try child.close()
    }

    @Test func `a database that could not be opened at first is opened by the next read`() throws {
        let child = try ForeignChild()
        let history = try ForeignHistory(seed: 1, child, types: [Sensor.self])
        let store = history.store
        child.sendDeclaration("Foreign")
        _ = try child.answer()
        let path = store.core.environment.path
        // The fault hits the commit that keeps the newly opened database handle.
        let fault = CallFaults.withPlan(at: path) { $0.add(.commit, .fails(code: EIO), after: 0, times: 1) }
        #expect(throws: StoreError.self) { try store.read { tx in tx._reading.catalog.types.count } }
        #expect(CallFaults.withPlan(at: path) { $0.remove(fault) } == 1)
        #expect(try store.read { tx in tx._reading.catalog.types.count } == 2)
        store.close()
        try child.close()
    }
}
