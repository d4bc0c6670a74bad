import Foundation
import ModelStore
import ModelStoreTesting
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Operations that make a store's files, with a failure at each of their calls. Afterwards the result is complete and on disk, or
/// the directory is as it was before.
@Suite("Faults of files", .timeLimit(.minutes(TestLength.waitMinutes))) struct FileFaultTests {
    enum Operation: CaseIterable {
        case create, backup, compact, restoreNew, restoreOver
    }

    private static let calls: [FaultInjector.Call] = [
        .makeDirectory, .open, .writeFile, .sync, .commit, .copy, .syncFile, .moveFile, .syncDirectory,
    ]

    /// A folder with a source store of one record, `new`, and the target of the operation. A restore over a store finds the
    /// record `old` there.
    private struct Scene {
        let operation: Operation
        let faults: FaultInjector
        let source: Store
        private let directory: TestDirectory

        /// With a redo log, the failure of a sync can leave the outcome unknown.
        private static var withoutLog: StoreOptions {
            var options = StoreOptions()
            options.usesRedoLog = false
            return options
        }

        var target: String { directory.path + "/target" }
        private var copy: String { directory.path + "/source" }

        init(_ operation: Operation) throws {
            self.operation = operation
            directory = try TestDirectory()
            faults = FaultInjector(path: directory.path)
            source = try Store(at: directory.path + "/source", records: Lamp.self)
            try source.write { tx in try tx.insert(Lamp(id: "new")) }
            guard operation == .restoreNew || operation == .restoreOver else { return }
            source.close()
            guard operation == .restoreOver else { return }
            let store = try Store(at: directory.path + "/target", records: Lamp.self, options: Self.withoutLog)
            try store.write { tx in try tx.insert(Lamp(id: "old")) }
            store.close()
        }

        func run() throws {
            switch operation {
            case .create: try Store(at: target, records: Lamp.self, options: Self.withoutLog).close()
            case .backup: try source.backup(to: target)
            case .compact: try source.backup(to: target, compacting: true)
            case .restoreNew, .restoreOver: try Store.restore(from: copy, to: target)
            }
        }

        /// The names in the target, without those of the files that every program creates again; nil if there is no target.
        var names: [String]? {
            try? FileManager.default.contentsOfDirectory(atPath: target)
                .filter { $0 != "lock.mdb" && $0 != "feed.wake" }
        }

        /// The names beside the target and the source.
        var others: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
                    .filter { $0 != "target" && $0 != "source" }
            }
        }

        /// The ids of the target's records.
        func ids() throws -> [String] {
            var options = StoreOptions()
            options.isReadOnly = true
            let store = try Store(at: target, records: Lamp.self, options: options)
            defer { store.close() }
            return try store.read { try $0.fetch(FetchRequest<Lamp>()).map(\.id) }
        }

        /// Checks the target after a failure.
        func expectUnchanged(_ comment: Comment) throws {
            switch operation {
            case .create:
                // The data file may be there, without a commit. The next program that opens the store for writing makes it again.
                let error = #expect(throws: StoreError.self, comment) { _ = try ids() }
                #expect(error?.code == .noSuchStore || error?.code == .notAStore, comment)
            case .backup, .compact, .restoreNew: #expect(names == nil, comment)
            case .restoreOver:
                #expect(names == ["data.mdb"], comment)
                #expect(try ids() == ["old"], comment)
            }
            #expect(try others == [], comment)
        }
    }

    @Test(arguments: Operation.allCases)
    func `An operation that fails at any call leaves the directory as before, and succeeds when it is repeated`(
        operation: Operation
    ) throws {
        var positions: [FaultInjector.Call: Int] = [:]
        for call in Self.calls {
            while true {
                let scene = try Scene(operation)
                defer { scene.source.close() }
                let comment: Comment = "\(call) \(positions[call, default: 0])"
                var failure: StoreError?
                scene.faults.failing(call, with: .ioError, after: positions[call, default: 0]) {
                    do {
                        try scene.run()
                    } catch {
                        failure = error as? StoreError
                    }
                }
                if scene.faults.failureCount == 0 {
                    #expect(failure == nil, comment)
                    break
                }
                positions[call, default: 0] += 1
                // A commit is made as a whole or not at all, and its sync is part of it.
                #expect(failure != nil, comment)
                if call != .makeDirectory { #expect(failure?.code == .ioError, comment) }
                try scene.expectUnchanged(comment)
                try scene.run()
                #expect(try scene.ids() == (operation == .create ? [] : ["new"]), comment)
                var findings: [String] = []
                try Store.verify(at: scene.target) { findings.append("\($0)") }
                #expect(findings == [], comment)
            }
        }
        // Each operation flushes the content, and the names in both directories.
        switch operation {
        case .create: #expect(positions[.sync] == 1 && positions[.syncDirectory] == 2, "\(positions)")
        case .backup, .compact, .restoreNew:
            #expect(positions[.syncFile] == 1 && positions[.syncDirectory] == 2, "\(positions)")
        case .restoreOver: #expect(positions[.syncFile] == 1 && positions[.syncDirectory] == 1, "\(positions)")
        }
    }

    @Test func `A store with a redo log is made, or made by the next open, whichever call fails`() throws {
        var failureCount = 0
        for call in Self.calls {
            var position = 0
            while true {
                let directory = try TestDirectory()
                let faults = FaultInjector(path: directory.path)
                let path = directory.path + "/target"
                let comment: Comment = "\(call) \(position)"
                faults.failing(call, with: .ioError, after: position) {
                    do {
                        try Store(at: path, records: Lamp.self).close()
                    } catch {
                        failureCount += 1
                    }
                }
                guard faults.failureCount > 0 else { break }
                position += 1
                let store = try Store(at: path, records: Lamp.self)
                try store.write { tx in try tx.insert(Lamp(id: "new")) }
                #expect(try store.usage().redoLog != nil, comment)
                store.close()
                var findings: [String] = []
                try Store.verify(at: path) { findings.append("\($0)") }
                #expect(findings == [], comment)
            }
        }
        #expect(failureCount > 10)
    }

    @Test func `A restore over a store with a redo log leaves the old store or the new one, whichever call fails`()
        throws
    {
        var failureCount = 0
        for call in Self.calls {
            var position = 0
            while true {
                let directory = try TestDirectory()
                let faults = FaultInjector(path: directory.path)
                let (copy, target) = (directory.path + "/copy", directory.path + "/target")
                for (path, id) in [(copy, "new"), (target, "old")] {
                    let store = try Store(at: path, records: Lamp.self)
                    try store.write { tx in try tx.insert(Lamp(id: id)) }
                    store.close()
                }
                let comment: Comment = "\(call) \(position)"
                var expected = "new"
                faults.failing(call, with: .ioError, after: position) {
                    do {
                        try Store.restore(from: copy, to: target)
                    } catch {
                        failureCount += 1
                        expected = "old"
                    }
                }
                guard faults.failureCount > 0 else { break }
                position += 1
                let store = try Store(at: target, records: Lamp.self)
                #expect(try store.read { try $0.fetch(FetchRequest<Lamp>()).map(\.id) } == [expected], comment)
                store.close()
            }
        }
        #expect(failureCount > 2)
    }

    @Test func `An empty directory stays where a backup into it fails`() throws {
        let scene = try Scene(.backup)
        defer { scene.source.close() }
        try FileManager.default.createDirectory(atPath: scene.target, withIntermediateDirectories: false)
        for count in 0..<2 {
            scene.faults.failing(.syncDirectory, with: .diskFull, after: count) {
                let error = #expect(throws: StoreError.self) { try scene.run() }
                #expect(error?.code == .diskFull)
            }
            #expect(scene.names == [])
        }
        try scene.run()
        #expect(try scene.ids() == ["new"])
    }

    @Test func `A restore that cannot be taken back keeps the earlier file, and names it`() throws {
        let scene = try Scene(.restoreOver)
        defer { scene.source.close() }
        let error = scene.faults.failing(.syncDirectory, with: .ioError) {
            scene.faults.failing(.moveFile, with: .ioError, after: 1) {
                #expect(throws: StoreError.self) { try scene.run() }
            }
        }
        #expect(try scene.ids() == ["new"])
        let kept = try #require(scene.names?.first { $0 != "data.mdb" })
        let earlier = scene.target + "/" + kept + "/data.mdb"
        #expect(error?.message.contains(earlier) == true)
        try FileManager.default.removeItem(atPath: scene.target + "/data.mdb")
        try FileManager.default.moveItem(atPath: earlier, toPath: scene.target + "/data.mdb")
        #expect(try scene.ids() == ["old"])
    }
}
