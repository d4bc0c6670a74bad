import Foundation
import LMDB
import ModelStore
import ModelStoreTesting
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Writes to a store with a redo log, with a failure at each call of the log, its side file and the data file.
@Suite("Faults of the redo log", .timeLimit(.minutes(TestLength.waitMinutes))) struct RedoFaultTests {
    private static let calls: [FaultInjector.Call] = [.writeFile, .syncFile, .sync, .commit]

    /// A store with a log in which a few writes meet everything: growth of the log, checkpoints, and a commit without an entry.
    private struct Scene {
        let faults: FaultInjector
        let path: String
        private let directory: TestDirectory
        private var store: Store
        private(set) var acknowledged: Set<String> = []
        private(set) var unknown: Set<String> = []
        private(set) var needsReopening = false

        init() throws {
            directory = try TestDirectory()
            faults = FaultInjector(path: directory.path)
            path = directory.path + "/store"
            store = try Self.open(path)
        }

        private static func open(_ path: String) throws -> Store {
            var options = StoreOptions()
            options.redoLimits.logByteCount = 4_096
            options.redoLimits.entryByteCount = 2_048
            return try Store(at: path, records: Lamp.self, options: options)
        }

        /// Opens the store again, if a failed sync of the data file makes that necessary.
        mutating func reopenIfNeeded() throws {
            guard needsReopening else { return }
            store.close()
            store = try Self.open(path)
            needsReopening = false
        }

        mutating func write(_ id: String) {
            // The fourth write is too large for an entry.
            let room = String(repeating: "r", count: id == "3" ? 4_000 : 100)
            do {
                try store.write { tx in try tx.insert(Lamp(id: id, room: room)) }
                acknowledged.insert(id)
            } catch {
                let code = (error as? StoreError)?.code
                if code == .outcomeUnknown { unknown.insert(id) }
                if code == .reopenNeeded { needsReopening = true }
            }
        }

        /// Checks the records of this store as a crash of the system leaves them now, and the store itself after its end.
        func expectKept(_ comment: Comment) throws {
            let crashed = directory.path + "/crashed"
            try FileManager.default.copyItem(atPath: path, toPath: crashed)
            store.close()
            for place in [crashed, path] {
                let again = try Store(at: place, records: Lamp.self)
                let ids = Set(try again.read { try $0.fetch(FetchRequest<Lamp>()).map(\.id) })
                #expect(acknowledged.isSubset(of: ids), "\(comment), \(place)")
                #expect(ids.subtracting(acknowledged).isSubset(of: unknown), "\(comment), \(place)")
                again.close()
                var findings: [String] = []
                try Store.verify(at: place) { findings.append("\($0)") }
                #expect(findings == [], "\(comment), \(place)")
            }
        }

        func close() { store.close() }
    }

    @Test(arguments: calls, [FaultInjector.Failure.ioError, .diskFull])
    func `A failed call loses nothing that was acknowledged, and the next writes succeed`(
        call: FaultInjector.Call, failure: FaultInjector.Failure
    ) throws {
        var failureCount = 0
        for times in 1...3 {
            var position = 0
            while true {
                var scene = try Scene()
                scene.faults.failing(call, with: failure, after: position, times: times) {
                    for number in 0..<8 { scene.write("\(number)") }
                }
                guard scene.faults.failureCount > 0 else {
                    #expect(scene.acknowledged.count == 8)
                    scene.close()
                    break
                }
                let comment: Comment = "\(call) \(position), \(times) failures of \(failure)"
                position += 1
                failureCount += scene.faults.failureCount
                // The first one may still meet a failure that the writes above have left.
                for id in ["later", "last"] {
                    try scene.reopenIfNeeded()
                    scene.write(id)
                }
                if scene.needsReopening {
                    try scene.reopenIfNeeded()
                    scene.write("last")
                }
                #expect(scene.acknowledged.contains("last"), comment)
                try scene.expectKept(comment)
            }
        }
        #expect(failureCount >= 6, "the calls are not met")
    }

    @Test(arguments: [true, false])
    func `An opening after a failed sync makes durable what it shows, or fails`(hasLog: Bool) throws {
        let directory = try TestDirectory()
        let faults = FaultInjector(path: directory.path)
        let path = directory.path + "/store"
        var options = StoreOptions()
        options.usesRedoLog = hasLog
        options.redoLimits.entryByteCount = 2_048
        let store = try Store(at: path, records: Lamp.self, options: options)
        let lamp = Lamp(id: "0", room: String(repeating: "r", count: 400))
        // Without a log, the sync is a part of LMDB's commit.
        let call = hasLog ? FaultInjector.Call.syncFile : .sync
        faults.failing(call, with: .ioError, times: 9) {
            faults.failing(.commit, with: .ioError, times: hasLog ? 0 : 9) {
                #expect(throws: StoreError.self) { try store.write { tx in try tx.insert(lamp) } }
                store.close()
            }
        }
        let failureCount = faults.failureCount
        faults.failing(call, with: .ioError, times: 9) {
            let error = #expect(throws: StoreError.self) { try Store(at: path, records: Lamp.self, options: options) }
            #expect(error?.code == .ioError)
        }
        #expect(faults.failureCount > failureCount)
        try Store(at: path, records: Lamp.self, options: options).close()
        var findings: [String] = []
        try Store.verify(at: path) { findings.append("\($0)") }
        #expect(findings == [])
    }
}
