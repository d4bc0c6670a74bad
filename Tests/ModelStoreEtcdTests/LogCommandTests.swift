#if Etcd
import ChildPrograms
import Foundation
import ModelStore
import ModelStoreEtcd
import ModelStoreReplication
import TestSupport
import Testing

extension EtcdTests {
    /// The commands of `store-cli replication` on a log in etcd. Needs Debian's etcd-server.
    @Suite(.timeLimit(.minutes(4))) final class LogCommandTests {
        @Record
        struct Page {
            @ID var id: Int
            var text: String
        }

        private let server: EtcdServer
        private let directory = FileManager.default.temporaryDirectory.appending(path: "commands-\(UUID())")

        init() throws {
            server = try EtcdServer()
            try FileManager.default.createDirectory(atPath: path("snapshots"), withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        private func path(_ name: String) -> String { directory.appending(path: name).path }

        /// Runs a subcommand on a node, and returns its output and its exit status. Times are left out.
        private func run(_ command: String, _ node: String, _ more: String...) throws -> (text: String, status: Int32) {
            let arguments =
                ["--store", path(node), "--output", "jsonl", "replication", command, "--log", "pages"]
                + ["--etcd", server.endpoint, "--snapshots", path("snapshots")] + more
            let process = try ChildProcess(BuiltProgram.path("store-cli"), arguments, mergesErrors: true)
            let lines = process.remainingLines()
            guard case .exit(let status) = try process.wait() else { throw Mismatch("\(lines)") }
            let text = lines.joined(separator: "\n").replacing(path(node), with: "PATH")
            let shown = text.replacing(/"snapshotTime":"[^"]*"/, with: #""snapshotTime":"TIME""#)
            return (shown.replacing(/"bytes":[1-9][0-9]*/, with: #""bytes":N"#), status)
        }

        @Test func `each subcommand says what it has found or done`() async throws {
            let local = try Store(at: path("one"), records: Page.self)
            try await local.write { tx in for id in 0..<3 { try tx.insert(Page(id: id, text: "x")) } }
            local.close()
            #expect(
                try run("init", "one", "--node", "one") == ("PATH is the node one; the log goes on after entry 1", 0))
            let begun =
                #"{"generation":2,"head":1,"floor":1,"snapshot":1,"snapshotTime":"TIME","members":0,"bytes":N,"quota":2147483648"#
            #expect(try run("status", "one") == (begun + #","applied":1,"lag":0,"state":"current"}"#, 0))

            let log = try await EtcdLog.open(name: "pages", endpoints: [server.endpoint])
            var replication = Replication.shared(log, node: "two", snapshots: .directory(path("snapshots")))
            replication.followsByItself = false
            let two = try await Store.open(at: path("two"), records: Page.self, replication: replication)
            try await two.write { tx in try tx.insert(Page(id: 9, text: "y")) }
            #expect(try run("status", "one").text.hasSuffix(#""applied":1,"lag":1,"state":"behind"}"#))
            #expect(try run("wait", "two") == ("", 0))
            #expect(try run("members", "one").text == #"{"node":"two","generation":2,"applied":1,"lag":1}"#)
            let snapshot = try run("snapshot", "two", "--node", "two")
            #expect(snapshot == ("the newest snapshot has the log up to entry 2", 0))
            #expect(try run("trim", "one").text.hasPrefix("no entry can be removed: "))
            let verified = try run("verify", "two")
            #expect(verified.status == 0 && verified.text.contains(#""applied":2,"records":""#), "\(verified)")

            let again = try run("begin-generation", "one", "--node", "one")
            #expect(again.status == 65 && again.text.contains("the log continues this node"), "\(again)")
            let held = try run("rejoin", "two", "--node", "two")
            #expect(held.status == 75 || held.text.contains("open"), "\(held)")
            two.close()
            let rejoined = try run("rejoin", "two", "--node", "two")
            #expect(rejoined == ("PATH has the newest snapshot; the old directory is PATH.before-rejoin", 0))
            let missing = try run("snapshot", "two", "--node", "two", "--snapshots", path("missing"))
            #expect(missing.status == 64 && missing.text.contains("is no directory"), "\(missing)")
            #expect(try run("remove", "one", "--node", "two") == ("the log keeps no entries for two", 0))
            let unknown = try run("remove", "one", "--node", "two")
            #expect(unknown.status == 65 && unknown.text.contains("not heard of a node two"), "\(unknown)")
            let leaving = try ChildProcess(
                BuiltProgram.path("store-cli"), ["replication", "leave", "--store", path("two")], mergesErrors: true)
            #expect(leaving.remainingLines() == ["\(path("two")) is a store without a log"])
            #expect(try leaving.wait() == .exit(0))
        }

        @Test func `the status of a log without entries says so`() throws {
            let process = try ChildProcess(
                BuiltProgram.path("store-cli"),
                ["replication", "status", "--log", "pages", "--etcd", server.endpoint], mergesErrors: true)
            let lines = process.remainingLines()
            #expect(try process.wait() == .exit(0))
            let note = "the log pages has no entries; if nodes have written to it, check its name and its engine"
            #expect(lines.contains(note), "\(lines)")
        }

        @Test func `a log that cannot be reached has an exit status of its own`() throws {
            server.crash()
            let found = try run("members", "one")
            #expect(found.status == 2, "\(found)")
        }
    }
}
#endif
