import ArgumentParser
import StoreEngine
import StoreRuntime

/// `watch`: prints the records that match a condition, and keeps the output up to date.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the records that match a condition, and then each change to that result.",
        discussion: """
            On a terminal, the command shows a table that it updates in place. Otherwise, and in the other formats, it \
            first prints the current rows, with the kind snapshot. Then it prints a line for each change to the \
            result, by whatever program: insert, update with the fields that changed, move, and delete with the \
            deleted record.

            The lines of one position belong together, and lead from one result to the next. First remove the deleted \
            and moved rows, by the indexes index and from in the old rows. Then insert the moved and inserted rows at \
            their indexes, in ascending order. Then give the updated rows their new records. A row that changed and \
            moved has a line for each. A row that only shifted has none. Changes that come faster than the reader \
            takes them are merged, so a line does not say whether a program, a migration or an undo made the change. \
            `feed` does.

            With --fields, an update has a line only if it changed one of these fields, and changed names only these. \
            A field of a referenced record, such as room.floor, is followed there. A table repeats its titles above \
            lines that need wider columns. --limit and --offset are windows: rows enter and leave them when other rows \
            change.

            The command ends after --updates positions, when it is interrupted, or when its output is closed. While it \
            waits, it holds no lock and no snapshot.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @OptionGroup var wanted: RequestOptions
    // The values of these options may begin with a dash.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to print: a,b; all by default.", valueName: "fields"))
    var fields: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("End after this many updates of the result.", valueName: "n"))
    var updates: Int?

    func run() throws {
        if let updates, updates < 0 { throw CommandFailure(.usage, "--updates is \(updates), which is below 0") }
        let table = options.format == .table && TerminalSize.canMoveCursor() ? LiveTable(fields: fields) : nil
        let interruption = Interruption()
        interruption.watchSignals(screen: table)
        interruption.watchOutput()
        try options.read { store in
            let reading = try store.read { transaction in
                let catalog = transaction._reading.catalog
                let type = catalog.types[try catalog.requireTypeIndex(named: self.type)]
                let shown = try ShownFields(fields, of: type, in: catalog)
                var request = try wanted.request(type.type, in: catalog)
                if !shown.followed.isEmpty { request.fields = shown.followed }
                return WatchReading(
                    rows: store.updates(
                        of: request, typeNamed: self.type,
                        fields: shown.fieldIndexes.map { LiveFields($0, of: type.type) }),
                    fields: fields, format: options.format, limit: updates, table: table)
            }
            try AsyncWork.run(endedBy: interruption) { try await reading.run(interruption) }
        }
    }
}
