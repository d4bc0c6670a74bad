import StoreEngine

/// Writes each record that differs: as a row, or as a JSON object.
struct DifferencePrinter {
    private let format: OutputFormat
    private let output: StandardOutput
    private var rows: RowPrinter?
    private var count = 0
    private var json = JSONWriter()

    private static let tableColumns = ["kind", "type", "id", "changes"].map { OutputColumn($0) }
    private static let csvColumns = ["kind", "type", "id", "changed", "before", "after"].map { OutputColumn($0) }

    init(_ format: OutputFormat, to output: StandardOutput) throws {
        self.format = format
        self.output = output
        switch format {
        case .table: rows = try RowPrinter(format, columns: Self.tableColumns, to: output)
        case .csv: rows = try RowPrinter(format, columns: Self.csvColumns, to: output)
        case .json: try output.write("[")
        case .jsonl: break
        }
    }

    mutating func append(_ change: RecordChange) throws {
        count += 1
        guard rows != nil else {
            if format == .json { try output.write(count == 1 ? "\n  " : ",\n  ") }
            json.removeAll()
            json.append(try change.document())
            if format == .jsonl { json.endLine() }
            return try output.write(json.bytes)
        }
        let (before, after) = (try change.before() ?? .null, try change.after() ?? .null)
        var cells = [OutputCell(change.kind.name), OutputCell(change.typeName), OutputCell(try change.id() ?? .null)]
        if format == .csv {
            cells += [OutputCell(change.changedFields), OutputCell(before), OutputCell(after)]
        } else {
            cells.append(OutputCell(try change.summary()))
        }
        try rows?.append(cells)
        if count.isMultiple(of: FeedRows.blockRowCount) { try rows?.endBlock() }
    }

    mutating func finish() throws {
        try rows?.finish()
        if format == .json { try output.write(count == 0 ? "]\n" : "\n]\n") }
    }
}
