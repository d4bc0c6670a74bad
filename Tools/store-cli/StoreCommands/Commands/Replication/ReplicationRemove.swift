import ArgumentParser
import ModelStoreReplication

/// `replication remove`: forgets a node.
struct ReplicationRemove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes a node that does not come back from the members of the log.",
        discussion: """
            The log then keeps no entries for the node. Without this command, the node goes away after a day. Its program must \
            have ended at least 20 seconds ago.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions
    @Option(help: "The name of the node.") var node: String

    func run() throws {
        let node = node
        try logOptions.administer { try await $0.remove(node: node) }
        StandardError.writeLine("the log keeps no entries for \(node)")
    }
}
