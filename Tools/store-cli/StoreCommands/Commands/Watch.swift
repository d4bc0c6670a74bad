import ArgumentParser
import StoreEngine
import StoreRuntime

/// `watch`: prints the records that match a condition, and keeps the output up to date.
struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the records that fit a condition, and then each change of that result as it happens.",
        discussion: """
            On a terminal it is a table that is kept up to date in place. Otherwise, and in the other forms, first the rows \
            come, with the kind snapshot, and then a line for each change of the result, whoever made it: insert, update \
            with the fields that changed, move, delete with the record as it was.

            The lines of one position belong together, and lead from one result to the next in this order: what is deleted \
            and moved is taken out, by the indexes index and from in the old rows; what is moved and inserted is put in at \
            its index, ascending; updated rows get their new records. A row that changed and moved has a line for both, one \
            that only shifts has none. Changes that come faster than they are taken are merged.

            With --fields an update has a line, and names fields in changed, only where it changed these fields. They may be those \
            of records that are referred to, as room.floor, which are followed there. A table puts its titles again above lines \
            that need wider columns. --limit and --offset are windows: rows \
            come into them and leave them as others do.

            It ends after --updates positions, when it is interrupted, or when nobody reads its output any more. It holds no \
            lock and no snapshot while it waits.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @OptionGroup var wanted: RequestOptions
    // The values of these options may begin with a dash.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to print: a,b; all when left out.", valueName: "fields"))
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
