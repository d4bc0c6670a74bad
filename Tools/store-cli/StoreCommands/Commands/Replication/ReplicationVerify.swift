import ArgumentParser
import ModelStoreReplication
import StoreEngine

/// `replication verify`: compares the records of a node with the log and the other nodes.
struct ReplicationVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares the sum of all records of a node with the sum in the log.",
        discussion: """
            Also compares it with those of the nodes that are at the same entry. Programs may have the node open. The command \
            verify checks the rest of the store.

            Exit status: 1 if the records differ.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions

    func run() throws {
        let path = try options.requireStore()
        let found = try logOptions.administer { try await $0.verify(replicaAt: path) }
        let columns = [
            OutputColumn("applied", isNumeric: true), OutputColumn("records"), OutputColumn("log"),
            OutputColumn("equal", isNumeric: true), OutputColumn("other", isNumeric: true),
        ]
        try options.printing { output in
            try RowPrinter.printOne(
                options.format, columns: columns,
                [
                    .count(found.applied.index), OutputCell(found.recordSum),
                    found.loggedSum.map { OutputCell($0) } ?? OutputCell(.null),
                    .count(UInt64(found.equalNodes.count)), .count(UInt64(found.otherNodes.count)),
                ], to: output)
        }
        guard found.isSound else {
            throw CommandFailure(
                .failed, "the node has other records than its log has given it; see store-cli replication rejoin")
        }
        if let stop = found.stop { throw CommandFailure.stopped(stop) }
        guard found.otherNodes.isEmpty else {
            throw CommandFailure(
                .failed, "other nodes have other records: \(found.otherNodes.joined(separator: ", ")); verify them too")
        }
    }
}
