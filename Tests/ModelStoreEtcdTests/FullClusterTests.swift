#if Etcd
import Foundation
import ModelStore
import ModelStoreEtcd
import ModelStoreReplication
import TestSupport
import Testing

extension EtcdTests {
    /// A cluster that has reached its quota. Needs Debian's etcd-server and etcd-client.
    @Suite(.timeLimit(.minutes(4))) final class FullClusterTests {
        @Record
        struct Page {
            @ID var id: Int
            var text: String
        }

        private let directory = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID())")

        init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: directory) }

        private func write(_ id: Int, _ store: Store) async -> StoreError.Code? {
            let text = String(repeating: "x", count: 500_000)
            do {
                try await store.write { tx in try tx.insert(Page(id: id, text: text)) }
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }

        @Test func `writes fail with an error, nothing is lost, and they go on once entries are removed`() async throws
        {
            let server = try EtcdServer(quota: 8 << 20)
            let log = try await EtcdLog.open(name: "full", endpoints: [server.endpoint])
            var replication = Replication.shared(log, node: "one")
            replication.followsByItself = false
            let one = try await Store.open(
                at: directory.appending(path: "one").path, records: Page.self, replication: replication)
            var count = 0
            var code: StoreError.Code?
            while code == nil, count < 100 {
                code = await write(count, one)
                if code == nil { count += 1 }
            }
            #expect(code == .logFull && count > 2)
            #expect(try one.read { try $0.fetch(Page.self).count } == count)

            try await log.trim(through: try #require(one.replication?.applied))
            try server.control("defrag")
            try server.control("alarm", "disarm")
            #expect(await write(count, one) == nil)
            // A node that lacks the removed entries gets an error that says so.
            let error = await #expect(throws: StoreError.self) {
                _ = try await Store.open(
                    at: self.directory.appending(path: "two").path, records: Page.self,
                    replication: .shared(log, node: "two"))
            }
            #expect(error?.code == .logUnavailable && error?.message.contains("first entry") == true)
            one.close()
        }
    }
}
#endif
