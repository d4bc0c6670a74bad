import ArgumentParser
import Foundation
import ModelStore
import ModelStoreReplication
import ModelStoreTesting
import Testing

@testable import Hostwatch

@Suite("Mirror") struct MirrorTests {
    static func mount(_ target: String, free: UInt64?) -> Mount {
        Mount(
            target: target, source: "/dev/x", type: "ext4", options: ["rw"], totalBytes: 100, freeBytes: free,
            availableBytes: free, totalFiles: 10, freeFiles: 5)
    }

    private static let own = Mount.where { $0.host == "web" }

    @Test func `New, changed and gone records become inserts, updates and deletes, the rest stays`() throws {
        let store = try Store.temporary(records: Mount.self)
        let first = [Self.mount("/", free: 50), Self.mount("/a", free: 1), Self.mount("/b", free: nil)]
        func apply(_ mounts: [Mount]) throws -> Committed<Mirror.Count> {
            try store.write(returning: .position) { try Mirror.apply(mounts, of: "web", to: Self.own, in: &$0) }
        }
        let inserted = try apply(first)
        #expect(inserted.result == Mirror.Count(inserted: 3))
        let second = [Self.mount("/", free: 40), Self.mount("/b", free: nil), Self.mount("/c", free: 7)]
        let changed = try apply(second)
        #expect(changed.result == Mirror.Count(inserted: 1, updated: 1, deleted: 1, unchanged: 1))
        #expect(changed.position.sequence == inserted.position.sequence + 1)
        let stored = try store.read { try $0.all(Mount.self) }
        #expect(stored.map(\.target) == second.map(\.target) && stored.map(\.freeBytes) == second.map(\.freeBytes))
        #expect(stored.allSatisfy { $0.host == "web" })
        let same = try apply(second)
        #expect(same.result == Mirror.Count(unchanged: 3))
        #expect(same.position == changed.position)
    }

    @Test func `A start time that only the clock moved is no change`() throws {
        let directory = try TemporaryFiles(["readme": ""])
        let mirror = try HostMirror(directory: directory.path + "/store", host: "web")
        defer { mirror.close() }
        var snapshot = try HostReader().read()
        let first = try mirror.apply(snapshot)
        #expect(first.processes.inserted == snapshot.processes.count)
        let position = try mirror.store.position
        for index in snapshot.processes.indices { snapshot.processes[index].started += 1 }
        let second = try mirror.apply(snapshot)
        #expect(second.processes == Mirror.Count(unchanged: snapshot.processes.count))
        #expect(try mirror.store.position == position)
    }

    @Test func `A report reads a replica without its log, and makes no store`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let mirror = try await HostMirror(
            directory: directory.path + "/a", host: "web", log: MemoryLog(), snapshots: nil)
        _ = try mirror.apply(
            HostSnapshot(
                packages: [], processes: [MadeUpHost.process(1, mebibytes: 10)], mounts: [Self.mount("/", free: 50)],
                interfaces: []))
        mirror.close()
        let reader = try HostMirror(directory: directory.path + "/a", host: "web", isReadOnly: true)
        #expect(try reader.reports().map(\.host) == ["web"])
        reader.close()
        #expect(throws: StoreError.self) {
            try HostMirror(directory: directory.path + "/b", host: "web", isReadOnly: true)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/b"))
    }

    @Test func `Options of a shared store without a machine's name are refused`() {
        for arguments in [["--log", "x"], ["--etcd-user", "root"], ["--etcd-quota", "1"], ["--snapshots", "/mnt"]] {
            #expect(throws: (any Error).self) { try HostwatchCommand.parse(["--store", "x"] + arguments) }
        }
        #expect(throws: Never.self) { try HostwatchCommand.parse(["--store", "x", "--once"]) }
    }

    @Test func `Machines that share a store each mirror their own state, and each can ask for all`() async throws {
        let directory = try TemporaryFiles(["readme": ""])
        let log = MemoryLog()
        var mirrors: [HostMirror] = []
        defer { for mirror in mirrors { mirror.close() } }
        for (number, host) in ["a", "b", "c"].enumerated() {
            let mirror = try await HostMirror(
                directory: directory.path + "/" + host, host: host, log: log, snapshots: nil)
            mirrors.append(mirror)
            let snapshot = HostSnapshot(
                packages: [], processes: [MadeUpHost.process(1, mebibytes: UInt64(10 + number))],
                mounts: [Self.mount("/", free: 50), Self.mount("/" + host, free: 5)], interfaces: [])
            #expect(try await mirror.update(snapshot).mounts == Mirror.Count(inserted: 2))
        }
        let gone = try await mirrors[1].update(
            HostSnapshot(packages: [], processes: [], mounts: [Self.mount("/", free: 50)], interfaces: []))
        #expect(gone.mounts == Mirror.Count(deleted: 1, unchanged: 1) && gone.processes == Mirror.Count(deleted: 1))
        for mirror in mirrors {
            let (mounts, processes) = try await mirror.store.read(.linearizable) { tx in
                (try tx.all(Mount.self), try tx.all(HostProcess.self))
            }
            #expect(mounts.map { $0.host + $0.target } == ["a/", "a/a", "b/", "c/", "c/c"])
            #expect(processes.map(\.host) == ["a", "c"])
            let reports = try mirror.reports()
            #expect(reports.map(\.host) == ["a", "c"])
            #expect(reports.map { $0.report.processes.map(\.kibibytes) } == [[10 << 10], [12 << 10]])
            #expect(reports.map { $0.report.fullMounts.map(\.name) } == [["/a"], ["/c"]])
        }
    }
}
