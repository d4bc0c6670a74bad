import ArgumentParser
import ModelStoreReplication

/// `replication trim`: removes old entries.
struct ReplicationTrim: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Removes the entries that no node needs.",
        discussion: "Nodes with a place for snapshots do this by themselves.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var logOptions: LogOptions

    func run() throws {
        let position = try logOptions.administer { try await $0.trim() }
        let text =
            position.map { "removed the entries up to \($0.index)" }
            ?? "no entry can be removed: none is in a snapshot that is an hour old and on all nodes"
        StandardError.writeLine(text)
    }
}
