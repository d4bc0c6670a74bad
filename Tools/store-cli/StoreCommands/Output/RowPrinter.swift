import StoreEngine

/// Prints rows in any of the forms, immediately where the form allows it.
struct RowPrinter {
    private let format: OutputFormat
    private let columns: [OutputColumn]
    private let output: StandardOutput
    private var table: TableWriter
    private var csv = CSVWriter()
    /// The number of printed rows.
    private(set) var count = 0

    init(_ format: OutputFormat, columns: [OutputColumn], to output: StandardOutput) throws {
        self.format = format
        self.columns = columns
        self.output = output
        table = TableWriter(
            columns: columns.map { .init(title: $0.name, isNumeric: $0.isNumeric, width: $0.width) },
            width: TerminalSize.columns())
        if format == .csv {
            csv.append(columns.map(\.name))
            try flushCSV()
        }
        if format == .json { try output.write("[") }
    }

    /// Prints a row with a cell for each column.
    mutating func append(_ cells: [OutputCell]) throws {
        count += 1
        switch format {
        case .table: table.append(cells.map(\.text))
        case .csv:
            csv.append(cells.map(\.csv))
            try flushCSV()
        case .json:
            try output.write(count == 1 ? "\n  " : ",\n  ")
            try output.write(JSONWriter.bytes(of: object(cells)))
        case .jsonl: try output.write(JSONWriter.text(of: object(cells)) + "\n")
        }
    }

    /// Prints the rows of a table so far, aligned with the earlier ones. Used for a result that is long or has no end.
    ///
    /// - Parameter repeatsTitles: whether to repeat the titles above rows that need wider columns.
    mutating func endBlock(repeatsTitles: Bool = false) throws {
        if format == .table { try output.write(table.takeBlock(repeatsTitles: repeatsTitles)) }
    }

    /// Ends the result.
    mutating func finish() throws {
        switch format {
        case .table: try output.write(table.takeBlock())
        case .json: try output.write(count == 0 ? "]\n" : "\n]\n")
        case .jsonl, .csv: break
        }
    }

    /// Prints a single row: in a table as one line per field, in JSON as an object.
    static func printOne(
        _ format: OutputFormat, columns: [OutputColumn], _ cells: [OutputCell], to output: StandardOutput
    ) throws {
        switch format {
        case .table:
            var table = TableWriter(
                columns: [.init(title: "field"), .init(title: "value")], width: TerminalSize.columns())
            for (column, cell) in zip(columns, cells) { table.append([column.name, cell.text]) }
            try output.write(table.text)
        case .json:
            let object = JSONValue.object(zip(columns, cells).map { JSONMember($0.name, $1.json) })
            try output.write(JSONWriter.text(of: object, layout: .pretty) + "\n")
        case .jsonl, .csv:
            var printer = try RowPrinter(format, columns: columns, to: output)
            try printer.append(cells)
            try printer.finish()
        }
    }

    private func object(_ cells: [OutputCell]) -> JSONValue {
        .object(zip(columns, cells).map { JSONMember($0.name, $1.json) })
    }

    private mutating func flushCSV() throws {
        try output.write(csv.bytes)
        csv.removeAll()
    }
}

extension DynamicRecord {
    /// Returns the record's cells, in the order of the type's fields.
    func cells(_ type: RecordType) -> [OutputCell] { zip(type.fields, values).map { OutputCell($1, as: $0.type) } }

    /// Prints this record alone.
    func print(_ type: RecordType, _ format: OutputFormat, to output: StandardOutput) throws {
        try RowPrinter.printOne(format, columns: OutputColumn.columns(of: type), cells(type), to: output)
    }
}
