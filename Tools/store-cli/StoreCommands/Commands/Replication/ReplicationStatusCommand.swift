import ArgumentParser
import ModelStoreReplication
import StoreEngine

/// `replication status`: the log, and the place of a node in it.
struct ReplicationStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the log, and with --store the place of a node in it.",
        discussion: """
            The bytes and the quota are those of the engine, with everything else that it keeps. The state of a node is current, \
            behind or stopped. Whether a program has the node open is not shown.
            """)

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
                .count(node.applied.index), .count(node.lag), OutputCell(Self.state(of: node)),
            ]
        }
        try options.printing { output in
            try RowPrinter.printOne(options.format, columns: columns, cells, to: output)
        }
        if log.isEmpty {
            StandardError.writeLine(
                "the log \(logOptions.log) has no entries; if nodes have written to it, check its name and its engine")
        }
        if let stop = node?.stop { throw CommandFailure.stopped(stop) }
    }

    private static func state(of node: ReplicaStatus) -> String {
        if node.stop != nil { return "stopped" }
        return node.lag == 0 ? "current" : "behind"
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
