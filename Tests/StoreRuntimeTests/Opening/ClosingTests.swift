import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ClosingTests {
    @Test func `closing inside a read closure returns at once and closes the store after it`() async throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        try store.read { tx in
            store.close()
            #expect(storeError { try store.read { _ in } }?.code == .closed)
            // The closure can still read the record.
            let room = try tx.get(Sensor.self, id: "a")?.room
            #expect(room == "r")
        }
        await untilClosed(folder)
        let again = try Store(at: folder.path, records: Sensor.self)
        #expect(try again.all(Sensor.self).count == 1)
        again.close()
    }

    @Test func `closing inside a read closure of another store waits as ever`() throws {
        let folder = try StoreFolder()
        let other = try Store.temporary(records: Sensor.self)
        defer { other.close() }
        let store = try Store(at: folder.path, records: Sensor.self)
        try other.read { _ in
            store.close()
            _ = try EnvironmentReservation(of: folder.path)
        }
    }

    @Test func `a temporary store that is closed inside its read closure goes too`() async throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.read { _ in store.close() }
        while FileManager.default.fileExists(atPath: store.path) { try await nextTurn() }
    }

    /// Waits until this process has closed the environment.
    private func untilClosed(_ folder: StoreFolder) async {
        while !isClosed(folder), !Task.isCancelled { await Task.yield() }
    }

    private func isClosed(_ folder: StoreFolder) -> Bool {
        guard let reservation = try? EnvironmentReservation(of: folder.path) else { return false }
        _ = reservation
        return true
    }
}
