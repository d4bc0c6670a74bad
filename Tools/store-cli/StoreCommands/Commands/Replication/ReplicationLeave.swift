import ArgumentParser
import ModelStoreReplication

/// `replication leave`: makes a node a store without a log.
struct ReplicationLeave: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Makes a node, or a restored backup of one, a store without a log.",
        discussion: """
            The store keeps its records and its feed, which begins a new epoch. The log is not asked. The command init makes the \
            store the first node of another log.
            """)

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let path = try options.requireStore()
        try AsyncWork.run { try await LogAdministration.leave(replicaAt: path) }
        StandardError.writeLine("\(path) is a store without a log")
    }
}
