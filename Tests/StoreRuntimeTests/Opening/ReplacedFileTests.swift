import Foundation
import Glibc
import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// A program renames or replaces a file of a store that another program has open.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ReplacedFileTests {
    /// A change of the files.
    enum Change: String, CaseIterable, Sendable {
        case rename, replace, remove

        func make(_ path: String) throws {
            switch self {
            case .rename: #expect(unsafe Glibc.rename(path, path + ".away") == 0)
            case .remove: #expect(unsafe unlink(path) == 0)
            case .replace:
                try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
                #expect(unsafe Glibc.rename(path + ".new", path) == 0)
            }
        }
    }

    private static func store(_ folder: StoreFolder) async throws -> Store {
        let store = try Store(at: folder.path, records: Sensor.self)
        try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        return store
    }

    @Test(arguments: Change.allCases, ["data.mdb", "lock.mdb"])
    func `the next write fails, and commits nothing`(change: Change, file: String) async throws {
        let folder = try StoreFolder()
        let store = try await Self.store(folder)
        defer { store.close() }
        try change.make(folder.path + "/" + file)
        #expect(
            storeError { try store.write { tx in _ = try tx.delete(Sensor.self, id: "a") } }?.code == .filesRemoved)
        #expect(try store.all(Sensor.self).count == 1)
    }

    @Test(arguments: Change.allCases, ["data.mdb", "lock.mdb"])
    func `subscribers and waiting tasks end with the reason, without a write`(change: Change, file: String) async throws
    {
        let folder = try StoreFolder()
        let store = try await Self.store(folder)
        defer { store.close() }
        let position = try store.position
        let ahead = Position(
            store: position.store, epoch: position.epoch, sequence: position.sequence + 1, hash: position.hash)
        let began = AsyncStream<Void>.makeStream()
        // A test that exceeds its time limit is cancelled, and these tasks with it.
        async let failures = withThrowingTaskGroup(of: StoreError.Code?.self) { group in
            group.addTask {
                await code {
                    for try await _ in store.updates(of: FetchRequest<Sensor>()) { began.continuation.yield() }
                }
            }
            group.addTask {
                await code { for try await _ in store.changes(from: .oldest) { began.continuation.yield() } }
            }
            group.addTask {
                await code { try await store.consume("totals") { _, _ in began.continuation.yield() } }
            }
            group.addTask {
                began.continuation.yield()
                return await code { try await store.wait(for: ahead) }
            }
            return try await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        var count = 0
        for await _ in began.stream {
            count += 1
            if count == 4 { break }
        }
        try change.make(folder.path + "/" + file)
        #expect(try await failures == Array(repeating: .filesRemoved, count: 4))
    }

    @Test func `a write to a file that was cut fails, and reads no page behind its end`() async throws {
        let folder = try StoreFolder()
        let store = try await Self.store(folder)
        defer { store.close() }
        #expect(unsafe truncate(folder.path + "/data.mdb", 2 * 4_096) == 0)
        let error = storeError { try store.write { tx in _ = try tx.delete(Sensor.self, id: "a") } }
        #expect(
            error?.code == .damaged && error?.message.contains("was cut to 8192 bytes") == true,
            "\(String(describing: error))")
    }

    @Test func `a store goes on in a directory that was renamed`() async throws {
        let folder = try StoreFolder()
        let store = try await Self.store(folder)
        defer { store.close() }
        #expect(unsafe Glibc.rename(folder.path, folder.path + ".moved") == 0)
        defer { #expect(unsafe Glibc.rename(folder.path + ".moved", folder.path) == 0) }
        try await store.write { tx in _ = try tx.delete(Sensor.self, id: "a") }
        #expect(try store.all(Sensor.self) == [])
    }
}

/// Returns the code of the error that ends an operation; nil if it ends without one.
private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
