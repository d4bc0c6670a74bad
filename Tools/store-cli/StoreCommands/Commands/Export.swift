import ArgumentParser
import StoreEngine
import StoreRuntime

/// `export`: writes all records in a form that `import` reads back.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes all records of a type, or of all types, as JSON Lines or CSV.",
        discussion: """
            With TYPE, each line is a record. Without TYPE, each line is {"type": NAME, "record": RECORD}, which \
            `import FILE` reads without a type. To copy a store, create one with `create --schema` from `schema \
            --output json`, and import the export. The copy has equal records, and continues to assign ids where this \
            store does. If services write meanwhile, print the schema after the export.

            An import of the export changes nothing in this store, and gives a copy the same bytes. A field that holds JSON \
            is written as {"$json": TEXT} where its JSON would lose bytes: with spaces, with unusual escapes, or null in \
            an optional field.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type; all types by default.", completion: TypeNameCompletion.kind) var type: String?
    @OptionGroup var past: PastOptions

    func run() throws {
        let format = options.output ?? .jsonl
        guard format == .jsonl || format == .csv else {
            throw CommandFailure(.usage, "export writes jsonl or csv, not \(format.rawValue)")
        }
        guard type != nil || format == .jsonl else {
            throw CommandFailure(.usage, "CSV can contain only one record type; name it")
        }
        let output = StandardOutput(isPatient: false)
        let count = try past.read(options) { transaction in
            let reading = transaction._reading
            let catalog = reading.catalog
            let only = try type.map { try catalog.requireTypeIndex(named: $0) }
            let indexes = only.map { [$0] } ?? Array(catalog.types.indices)
            let total = try indexes.reduce(0) { try $0 + reading.count(typeIndex: $1) }
            let progress = ProgressBar("exporting", total: total, unit: "rows")
            defer { progress.finish() }
            var count = 0
            for index in indexes {
                var writer = try RecordLines(
                    catalog.types[index].type, format, wraps: type == nil, to: output)
                try reading.forEachDynamic(typeIndex: index) { record in
                    try writer.append(record)
                    count += 1
                    progress.update(to: count)
                    return true
                }
            }
            return count
        }
        try output.finish()
        StandardError.writeLine("exported \(Counted.text(count, "record"))")
    }
}

/// Writes one record per line.
private struct RecordLines {
    private let type: RecordType
    private let wraps: Bool
    private let output: StandardOutput
    private var rows: RowPrinter?
    private var json = JSONWriter()

    init(_ type: RecordType, _ format: OutputFormat, wraps: Bool, to output: StandardOutput) throws {
        self.type = type
        self.wraps = wraps
        self.output = output
        if format == .csv { rows = try RowPrinter(.csv, columns: OutputColumn.columns(of: type), to: output) }
    }

    mutating func append(_ record: DynamicRecord) throws {
        if rows != nil {
            try rows?.append(record.cells(type))
            return
        }
        let object = record.json(type, .export)
        json.removeAll()
        json.append(wraps ? .object([JSONMember("type", .string(type.name)), JSONMember("record", object)]) : object)
        json.endLine()
        try output.write(json.bytes)
    }
}
