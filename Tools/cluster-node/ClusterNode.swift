import Foundation
import ModelStore
import ModelStoreReplication
#if Etcd
import ModelStoreEtcd
#endif

/// A value that the nodes write.
@Record
struct Measurement {
    @ID var id: String
    var value: Int
}

/// A node of the cluster that `Tools/cluster` starts. It writes what its input asks for, and prints what a live query shows.
///
/// ```
/// cluster-node DIRECTORY NAME ENDPOINT,ENDPOINT,…
/// ```
///
/// Each line of input is `write ID`, `list` or `state`.
@main
enum ClusterNode {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            say("usage: cluster-node DIRECTORY NAME ENDPOINT,ENDPOINT,…")
            exit(64)
        }
        let endpoints = arguments[3].split(separator: ",").map(String.init)
        let store = try await open(at: arguments[1], name: arguments[2], endpoints)
        defer { store.close() }
        say("opened")
        let showing = Task { try await show(store) }
        for await line in inputLines() { await answer(line, store) }
        showing.cancel()
    }

    private static func open(at path: String, name: String, _ endpoints: [String]) async throws -> Store {
        #if Etcd
        let log = try await EtcdLog.open(name: "cluster", endpoints: endpoints)
        return try await Store.open(at: path, records: Measurement.self, replication: .shared(log, node: name))
        #else
        say("cluster-node was built without etcd; build it with --traits Etcd")
        exit(64)
        #endif
    }

    /// Prints each record once, when the live query has it.
    private static func show(_ store: Store) async throws {
        var shown: Set<String> = []
        for try await update in store.updates(of: FetchRequest<Measurement>()) {
            for measurement in update.results where shown.insert(measurement.id).inserted {
                say("shown \(measurement.id)")
            }
        }
    }

    private static func answer(_ line: String, _ store: Store) async {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("write"?, 2):
            do {
                try await store.write { tx in try tx.insert(Measurement(id: words[1], value: words[1].count)) }
                say("written \(words[1])")
            } catch {
                say("failed \(words[1]) \((error as? StoreError)?.code.description ?? "\(error)")")
            }
        case ("list"?, 1):
            let ids = try? store.read { try $0.fetch(Measurement.self).map(\.id).sorted() }
            say("list \((ids ?? []).joined(separator: " "))")
        case ("state"?, 1):
            guard let status = store.replication, let position = try? store.position else { return say("state none") }
            say("state \(status.state) applied \(status.applied.index) position \(position.sequence) \(position.hash)")
        default: say("unknown \(line)")
        }
    }

    /// Prints a line at once, also to a pipe.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func inputLines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
