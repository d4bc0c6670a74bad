import ArgumentParser
import ModelStoreReplication

/// `replication wait`: waits until a node has what the log has.
struct ReplicationWait: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Waits until a node has the entries that the log has now.",
        discussion: "A program must have the node open, as the command applies no entries. --timeout limits the wait.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions

    private static let pause = Duration.milliseconds(50)

    func run() throws {
        let path = try options.requireStore()
        let deadline = options.timeout.map { ContinuousClock.now + $0.duration }
        try logOptions.administer { administration in
            let head = try await administration.status().head
            while true {
                let node = try await administration.status(ofReplicaAt: path)
                if let stop = node.stop { throw CommandFailure.stopped(stop) }
                if node.applied.index >= head.index { return }
                if let deadline, .now > deadline {
                    throw CommandFailure(
                        .timeout,
                        "the node has entry \(node.applied.index) of \(head.index); it goes on while a program has it open"
                    )
                }
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}
