import ArgumentParser
import ModelStoreReplication

/// `replication rejoin`: replaces a stopped node.
struct ReplicationRejoin: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejoin", abstract: "Replaces a node, such as one that has stopped, by the newest snapshot.",
        discussion: "The old directory is kept under another name. Look there for the cause, then remove it.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions
    @Option(help: "The name of the node.") var node: String

    func run() throws {
        let (path, node) = (try options.requireStore(), node)
        let kept = try logOptions.administer { try await $0.rejoin(at: path, node: node) }
        StandardError.writeLine("\(path) has the newest snapshot; the old directory is \(kept)")
    }
}
