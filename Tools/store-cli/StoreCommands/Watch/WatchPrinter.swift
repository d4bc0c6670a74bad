import StoreEngine
import StoreRuntime

/// Writes a live result as a stream of lines: JSON objects, aligned rows, or CSV.
struct WatchPrinter {
    private let format: OutputFormat
    private let fields: String?
    private let output: StandardOutput
    /// The shown fields, and the type that they belong to. A migration can replace the type.
    private var shown: (fields: ShownFields, type: OpenType)?
    private var rows: RowPrinter?
    private var json = JSONWriter()
    private var count = 0

    /// The number of rows that are aligned together.
    private static let blockRowCount = 500

    init(_ format: OutputFormat, fields: String?, to output: StandardOutput) throws {
        self.format = format
        self.fields = fields
        self.output = output
        if format == .json { try output.write("[") }
    }

    /// Writes the rows of the first update, or all changes of a later update.
    ///
    /// - Parameter isEnough: whether to stop before further lines, of which there may be many.
    /// - Returns: whether there was any line.
    @discardableResult
    mutating func append(_ update: DynamicUpdate, until isEnough: () -> Bool) throws -> Bool {
        let (fields, type) = try self.fields(update.rows)
        let position = update.position.sequence
        let lineCount = update.isFirst ? update.rows.count : update.changeCount
        let before = count
        for number in 0..<lineCount {
            if isEnough() { break }
            let line =
                update.isFirst
                ? try WatchLine(snapshot: update.rows, index: number, position: position)
                : WatchLine(try update.change(number), of: fields, position: position)
            // A row that moved because of a field that is not shown has a line for the move alone.
            if line.changed?.isEmpty == true { continue }
            try write(line, fields, type)
        }
        try rows?.endBlock(repeatsTitles: true)
        return count > before
    }

    /// Ends the result.
    mutating func finish() throws {
        try rows?.finish()
        if format == .json { try output.write(count == 0 ? "]\n" : "\n]\n") }
    }

    private mutating func write(_ line: WatchLine, _ fields: ShownFields, _ type: OpenType) throws {
        count += 1
        switch format {
        case .json, .jsonl:
            json.removeAll()
            json.append(line.object(fields, type))
            if format == .json { try output.write(count == 1 ? "\n  " : ",\n  ") }
            try output.write(json.bytes)
            if format == .jsonl { try output.write("\n") }
        case .table, .csv:
            try rows?.append(line.cells(fields, type))
            if count.isMultiple(of: Self.blockRowCount) { try rows?.endBlock(repeatsTitles: true) }
        }
    }

    /// Returns the shown fields of a type. If the type has changed, begins a new table when its columns differ.
    private mutating func fields(_ current: DynamicRows) throws -> (ShownFields, OpenType) {
        let type = current.type
        if let shown, shown.type === type { return shown }
        let fields = try ShownFields(fields, of: type, in: current.catalog)
        let hasOtherColumns = shown.map { $0.fields.columns.map(\.name) != fields.columns.map(\.name) } ?? true
        shown = (fields, type)
        if format == .table || format == .csv, hasOtherColumns {
            try rows?.finish()
            rows = try RowPrinter(format, columns: WatchLine.columns(fields) + fields.columns, to: output)
        }
        return (fields, type)
    }
}
