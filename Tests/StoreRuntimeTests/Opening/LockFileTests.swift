import Foundation
import StoreEngine
import Testing

@testable import StoreRuntime

/// LMDB marks a store as in use with a POSIX lock on `lock.mdb`. If any code in the process closes a descriptor of that file, the
/// process loses its locks. The next process to open the store then reinitializes the reader table and the writers' mutex, and
/// two processes write at once.
@Suite struct LockFileTests {
    @Test func `nothing that a store does gives up the lock that says it is in use`() throws {
        let folder = try StoreFolder()
        let other = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self, Ticket.self)
        defer { store.close() }
        #expect(try holdsLock(folder))
        try store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        let second = try Store(at: folder.path, records: Slot.self)
        second.close()
        try store.backup(to: other.path)
        #expect(storeError { try Store.restore(from: other.path, to: folder.path) }?.code == .inUse)
        try Store.restore(from: folder.path, to: other.path)
        #expect(try store.findings() == [])
        try store.clearStaleReaders()
        #expect(try store.all(Sensor.self).count == 1)
        #expect(try holdsLock(folder))
    }

    @Test func `a store is not opened while this process works on its files`() throws {
        let folder = try StoreFolder()
        try Store(at: folder.path, records: Sensor.self).close()
        do {
            let lock = try StoreLock.take(folder.path)
            #expect(storeError { _ = try Store(at: folder.path, records: Sensor.self) }?.code == .inUse)
            #expect(storeError { _ = try StoreLock.take(folder.path) }?.code == .inUse)
            lock.release()
        }
        try Store(at: folder.path, records: Sensor.self).close()
    }

    @Test(arguments: ["lock.mdb", "data.mdb"])
    func `a store whose files are removed while it is open writes no more and says why`(file: String) throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        let sensor = Sensor(id: "a", room: "r", serial: "1")
        try store.write { tx in _ = try tx.insert(sensor) }
        let failure = storeError {
            try store.write { tx in
                _ = try tx.insert(Sensor(id: "b", room: "r", serial: "2"))
                // Another program removes the file as a leftover in the middle of a transaction.
                try FileManager.default.removeItem(atPath: folder.path + "/" + file)
            }
        }
        #expect(failure?.code == .filesRemoved)
        #expect(storeError { try store.write { tx in _ = try tx.delete(Sensor.self, id: "a") } }?.code == .filesRemoved)
        #expect(try store.all(Sensor.self) == [sensor])
        store.close()
        guard file == "lock.mdb" else { return }
        let again = try Store(at: folder.path, records: Sensor.self)
        defer { again.close() }
        #expect(try again.all(Sensor.self) == [sensor])
        try again.write { tx in _ = try tx.delete(Sensor.self, id: "a") }
        #expect(try again.findings() == [])
    }

    /// Returns whether this process holds a lock on the store's lock file, according to the system.
    private func holdsLock(_ folder: StoreFolder) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            guard file == folder.path + "/lock.mdb" else { return false }
            let locks = try String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            return locks.split(separator: "\n").contains { $0.hasPrefix("lock:") && $0.hasSuffix(" 0 0") }
        }
    }
}
