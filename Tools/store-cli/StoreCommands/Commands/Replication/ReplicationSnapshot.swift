import ArgumentParser
import ModelStoreReplication

/// `replication snapshot`: takes a snapshot.
struct ReplicationSnapshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Takes a snapshot of a node, with which other nodes join.",
        discussion: "Programs may have the node open. They also take snapshots by themselves.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions
    @Option(help: "The name of the node.") var node: String

    func run() throws {
        let (path, node) = (try options.requireStore(), node)
        let position = try logOptions.administer { try await $0.takeSnapshot(ofReplicaAt: path, node: node) }
        StandardError.writeLine("the newest snapshot has the log up to entry \(position.index)")
    }
}
