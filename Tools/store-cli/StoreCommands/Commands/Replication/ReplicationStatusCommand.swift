import ArgumentParser
import ModelStoreReplication
import StoreEngine

/// `replication status`: the log, and the place of a node in it.
struct ReplicationStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the log, and with --store the place of a node in it.",
        discussion: "The bytes and the quota are those of the engine, with everything else that it keeps.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions

    private static let logColumns = [
        OutputColumn("generation", isNumeric: true), OutputColumn("head", isNumeric: true),
        OutputColumn("floor", isNumeric: true), OutputColumn("snapshot", isNumeric: true), OutputColumn("snapshotTime"),
        OutputColumn("members", isNumeric: true), OutputColumn("bytes", isNumeric: true),
        OutputColumn("quota", isNumeric: true),
    ]
    private static let nodeColumns = [
        OutputColumn("applied", isNumeric: true), OutputColumn("lag", isNumeric: true), OutputColumn("state"),
    ]

    func run() throws {
        let path = options.namedStore
        let (log, node) = try logOptions.administer { administration in
            var node: ReplicaStatus?
            if let path { node = try await administration.status(ofReplicaAt: path) }
            return (try await administration.status(), node)
        }
        var columns = Self.logColumns
        var cells: [OutputCell] = [
            .count(log.head.generation), .count(log.head.index), .count(log.floor.index), .count(log.snapshot?.index),
            log.snapshotTime.map { OutputCell($0.iso8601) } ?? OutputCell(.null), .count(UInt64(log.members.count)),
            .count(UInt64(log.usage.byteCount)), .count(log.usage.limit.map(UInt64.init)),
        ]
        if let node {
            columns += Self.nodeColumns
            cells += [
                .count(node.applied.index), .count(node.lag), OutputCell(node.stop == nil ? "following" : "stopped"),
            ]
        }
        try options.printing { output in
            try RowPrinter.printOne(options.format, columns: columns, cells, to: output)
        }
        if let stop = node?.stop { throw CommandFailure.stopped(stop) }
    }
}

extension CommandFailure {
    /// The failure of a command on a node that its log cannot continue.
    static func stopped(_ error: SharedLogError) -> CommandFailure {
        CommandFailure(
            .failed,
            "the node has stopped: \(error.message); if the log has lost entries, see store-cli replication begin-generation, "
                + "and otherwise store-cli replication rejoin")
    }
}
