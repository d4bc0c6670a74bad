import ArgumentParser

/// `replication`: the log of replicas and its nodes.
struct ReplicationGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replication", abstract: "Shows and administers a store that several nodes replicate.",
        discussion: """
            Each subcommand but leave needs the name of the log (--log) and the engine that keeps it (--etcd or --postgres). A \
            command that changes a node needs its directory (--store), and that no program has it open.

            Exit status: 1 if the node has stopped; 2 if the log cannot be reached.
            """,
        subcommands: [
            ReplicationStatusCommand.self, ReplicationMembers.self, ReplicationWait.self, ReplicationVerify.self,
            ReplicationInit.self, ReplicationSnapshot.self, ReplicationTrim.self, ReplicationRejoin.self,
            ReplicationBeginGeneration.self, ReplicationRemove.self, ReplicationLeave.self,
        ])
}
