import ArgumentParser
import ModelStoreReplication

/// `replication begin-generation`: goes on after the loss of a log.
struct ReplicationBeginGeneration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin-generation", abstract: "Goes on from one node with a log that lost entries.",
        discussion: """
            Needed when the engine was restored from an old backup, so that all nodes have stopped. Choose the node with \
            the most entries: what only others have is lost. Then let the others rejoin.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions
    @Option(help: "The name of the node.") var node: String
    @Flag(help: "Begin it although another node has more entries.") var allowLoss = false

    func run() throws {
        let (path, node, allowLoss) = (try options.requireStore(), node, allowLoss)
        let start = try logOptions.administer {
            try await $0.beginGeneration(fromReplicaAt: path, node: node, allowsLoss: allowLoss)
        }
        StandardError.writeLine(
            "generation \(start.generation) goes on after entry \(start.index) of \(node); let the other nodes rejoin")
    }
}
