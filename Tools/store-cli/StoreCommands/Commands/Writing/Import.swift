import ArgumentParser
import StoreEngine
import StoreRuntime

/// `import`: upserts many records at once.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Upserts records from JSON Lines or CSV, all in one transaction.",
        usage: """
            store-cli import TYPE FILE|- [--format jsonl|csv] [--on-error stop|skip]
            store-cli import TYPE FILE|- --id FIELD [--index FIELD,…] [--unique FIELD,…]
            store-cli import FILE|-
            store-cli import … --create [--schema FILE]
            """,
        discussion: """
            The command checks the whole input before it writes. A bad line stops the import, and nothing is imported. \
            With --on-error skip, the command imports the good lines and lists the bad ones.

            If the store has no TYPE, the command creates it from the input: --id names the field that identifies a \
            record, and the command infers the field types from all lines.

            With --create, the command first creates a missing store, with the record types of --schema or none. The \
            id of a new TYPE is then the field id, unless --id names others. If the import fails, it creates no store.

            Without TYPE, each line is {"type": NAME, "record": RECORD}, as `export` writes all types.

            In CSV, the first line names the fields. An empty field is null, or the field's default; "" is an empty \
            text. Arrays, sets, dictionaries and structs are JSON.
            """)

    /// The forms of input.
    enum Format: String, CaseIterable, ExpressibleByArgument { case jsonl, csv }

    /// How the import treats a bad line.
    enum MistakeHandling: String, CaseIterable, ExpressibleByArgument { case stop, skip }

    @OptionGroup var options: GlobalOptions
    @OptionGroup var creation: CreateOptions

    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: "The input, or - for standard input.", completion: .file()) var file: String?

    @Option(help: "The input format; by default that of the file's extension, and jsonl for standard input.")
    var format: Format?

    @Option(name: .customLong("on-error"), help: "The reaction to a bad line.")
    var mistakeHandling = MistakeHandling.stop

    @Option(help: ArgumentHelp("A field of the new type's id; repeat it for a composite id.", valueName: "field"))
    var id: [String] = []

    @Option(help: ArgumentHelp("Index a field of the new type, or several together: a,b.", valueName: "field"))
    var index: [String] = []

    @Option(help: ArgumentHelp("Like --index, but no two records may have equal values.", valueName: "field"))
    var unique: [String] = []

    func run() throws {
        let name = file == nil ? nil : type
        let path = file ?? type
        let new = NewTypeOptions(id: id, index: index, unique: unique)
        try InputSource.requireNamed(path)
        guard let format = format ?? Self.format(of: path) else {
            let missing = file == nil ? ", or name the file after the TYPE" : ""
            throw CommandFailure(.usage, "the extension of \(path) does not name a format; give --format\(missing)")
        }
        let input: InputSource
        do {
            input = try InputSource(path)
        } catch let error as SystemFailure where file == nil && error.isMissingFile {
            throw CommandFailure(.noInput, "\(error); to import from standard input write: import TYPE -")
        }
        let report = try creation.write(options) { store in
            let importer = Importer(store: store, input: input, skipsMistakes: mistakeHandling == .skip)
            guard let name else {
                guard format == .jsonl, new.isEmpty else {
                    throw CommandFailure(.usage, "without a TYPE, the input must be JSON Lines that name their types")
                }
                return try importer.runNamingTypes(JSONRows(input, namesTypes: true))
            }
            switch format {
            case .jsonl: return try run(importer, JSONRows(input, namesTypes: false), name, new)
            case .csv: return try run(importer, CSVRows(input), name, new)
            }
        }
        StandardError.writeLine(report.text)
    }

    private func run(
        _ importer: Importer, _ rows: some ImportRows, _ name: String, _ new: NewTypeOptions
    ) throws -> ImportReport {
        let types = importer.store.recordTypes
        if let type = types.first(where: { $0.name == name }) {
            guard new.isEmpty else {
                throw CommandFailure(
                    .usage, "the store already has \(name); --id, --index and --unique are for new types")
            }
            return try importer.run(rows, as: type)
        }
        var new = new
        if creation.create, new.id.isEmpty { (new.id, new.assumesID) = (["id"], true) }
        guard !new.id.isEmpty else {
            let nearest = NearestName.find(name, among: types.map(\.name))
            throw CommandFailure(
                .usage,
                "the store has no record type \(RecordText.name(name)); "
                    + (nearest.map { "did you mean \($0)? otherwise " } ?? "")
                    + "create it from the input with --id FIELD")
        }
        return try importer.run(rows, creating: name, new)
    }

    private static func format(of path: String) -> Format? {
        if path == "-" { return .jsonl }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        switch name.contains(".") ? name.split(separator: ".").last?.lowercased() : nil {
        case "jsonl", "ndjson", "json": return .jsonl
        case "csv": return .csv
        default: return nil
        }
    }
}
