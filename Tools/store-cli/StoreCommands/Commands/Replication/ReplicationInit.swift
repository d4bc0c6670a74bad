import ArgumentParser
import ModelStoreReplication

/// `replication init`: makes a store the first node of a log.
struct ReplicationInit: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes a store the first node of an empty log.",
        discussion: "The command also takes the snapshot with which other nodes join, and so needs --snapshots.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions
    @Option(help: "The name of the node.") var node: String

    func run() throws {
        let (path, node) = (try options.requireStore(), node)
        let start = try logOptions.administer { try await $0.initialize(fromStoreAt: path, node: node) }
        StandardError.writeLine("\(path) is the node \(node); the log goes on after entry \(start.index)")
    }
}
