import ModelStore
import ModelStoreEtcd
import ModelStoreReplication

/// A text that a write stores.
@Record
struct Page {
    @ID var id: Int
    var text: String
}

/// Three nodes of a log in etcd, in one process, each with a connection of its own.
struct BenchmarkCluster {
    static let logName = "benchmark"

    let engine: EtcdProcess
    let directory: String
    let nodes: [Store]

    init(_ engine: EtcdProcess, _ directory: String) async throws {
        self.engine = engine
        self.directory = directory
        var nodes: [Store] = []
        for name in ["a", "b", "c"] {
            nodes.append(try await Self.open(name, engine, directory))
        }
        self.nodes = nodes
    }

    func open(_ name: String) async throws -> Store { try await Self.open(name, engine, directory) }

    /// Opens a node of another log.
    func open(_ name: String, log: String) async throws -> Store {
        try await Self.open("\(log)-\(name)", engine, directory, log: log)
    }

    private static func open(
        _ name: String, _ engine: EtcdProcess, _ directory: String, log: String = logName
    ) async throws -> Store {
        try await Store.open(
            at: "\(directory)/\(name)", records: Page.self, replication: .shared(engine.log(log), node: name))
    }

    /// Waits until all nodes have everything.
    func settle() async throws { for node in nodes { try await node.read(.linearizable) { _ in } } }

    func close() { for node in nodes { node.close() } }
}
