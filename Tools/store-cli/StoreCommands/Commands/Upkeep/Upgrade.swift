import ArgumentParser
import StoreEngine
import StoreRuntime

/// `upgrade`: raises a store to the newest format that it can have.
struct Upgrade: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Raises a store to format 3, once no program has the store open.",
        discussion: """
            Programs with an earlier version of ModelStore cannot open the store afterwards, so upgrade when the last \
            of them is gone. The store gets a redo log, as new stores do, unless `redo-log off` has turned it off. The \
            command waits for programs that have the store open; --timeout limits the wait. No other command but \
            `redo-log` changes the format of a store.

            Format 4, in which long ids and values cannot be made to collide, is that of new stores only. To get there, \
            export the records and import them into a new store.
            """)

    @OptionGroup var options: GlobalOptions
    @Flag(help: "Only print what the upgrade would do.") var dryRun = false
    @Flag(help: "Add no redo log. The format is then 2.") var noRedoLog = false

    func run() throws {
        let path = try options.requireStore()
        let upgrade = try options.read { try FormatUpgrade(of: $0, usesRedoLog: !noRedoLog) }
        guard upgrade.isNeeded else {
            let limit =
                switch upgrade.found {
                case StoreFormat.version: ""
                case StoreFormat.versionWithLog: " for an existing store"
                default: " for an existing store without a redo log"
                }
            StandardError.writeLine("\(path) has format \(upgrade.found), the newest\(limit); nothing was done")
            return
        }
        let log = upgrade.addsRedoLog ? " and a redo log" : ""
        guard !dryRun else {
            StandardError.writeLine(
                "\(path) has format \(upgrade.found), and would get format \(upgrade.newest)\(log); nothing was done")
            return
        }
        var settings = StoreAccess.options(path)
        settings.writeTimeout = options.timeout?.duration
        try upgrade.run(at: path, options: settings) { processID, _ in
            StandardError.writeLine(
                "\(WriterHolder(processID)) has the store open; waiting for it (--timeout SECONDS limits that)")
        }
        StandardError.writeLine("\(path) had format \(upgrade.found), and has format \(upgrade.newest)\(log) now")
    }
}
