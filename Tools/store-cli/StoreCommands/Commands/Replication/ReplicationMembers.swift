import ArgumentParser
import ModelStoreReplication
import StoreEngine

/// `replication members`: the nodes of a log.
struct ReplicationMembers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "members", abstract: "Lists the nodes that the log has heard of within a day.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions

    func run() throws {
        let log = try logOptions.administer { try await $0.status() }
        let columns = [
            OutputColumn("node"), OutputColumn("generation", isNumeric: true), OutputColumn("applied", isNumeric: true),
            OutputColumn("lag", isNumeric: true),
        ]
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: columns, to: output)
            for member in log.members {
                let lag = member.applied.entryCount(to: log.head)
                try printer.append([
                    OutputCell(member.node), .count(member.applied.generation), .count(member.applied.index),
                    .count(lag),
                ])
            }
            try printer.finish()
        }
    }
}
