import StoreEngine

/// Writes each record that differs, as a row or as a JSON object.
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
        guard rows != nil else { return try append(try change.document()) }
        let states = try change.states()
        let (before, after) = (states.before ?? .null, states.after ?? .null)
        var cells = [OutputCell(change.kind.name), OutputCell(change.typeName), OutputCell(try change.id() ?? .null)]
        if format == .csv {
            cells += [OutputCell(change.changedFields), OutputCell(before), OutputCell(after)]
        } else {
            cells.append(OutputCell(try change.summary()))
        }
        try rows?.append(cells)
        if count.isMultiple(of: FeedRows.blockRowCount) { try rows?.endBlock() }
    }

    /// Writes a change that cannot be undone, with a kind of its own.
    mutating func append(_ conflict: ChangeConflict) throws {
        count += 1
        let (kind, fields) = conflict.reason.shown
        guard rows != nil else {
            return try append(
                .object([
                    JSONMember("kind", .string(kind)), JSONMember("type", .string(conflict.typeName)),
                    JSONMember("id", conflict.idJSON), JSONMember("changed", .array(fields.map { .string($0) })),
                ]))
        }
        let cells = [OutputCell(kind), OutputCell(conflict.typeName), OutputCell(conflict.idJSON)]
        let none = OutputCell(.null)
        let rest = format == .csv ? [OutputCell(fields), none, none] : [OutputCell(conflict.reasonText)]
        try rows?.append(cells + rest)
        if count.isMultiple(of: FeedRows.blockRowCount) { try rows?.endBlock() }
    }

    private mutating func append(_ document: JSONValue) throws {
        if format == .json { try output.write(count == 1 ? "\n  " : ",\n  ") }
        json.removeAll()
        json.append(document)
        if format == .jsonl { json.endLine() }
        try output.write(json.bytes)
    }

    mutating func finish() throws {
        try rows?.finish()
        if format == .json { try output.write(count == 0 ? "]\n" : "\n]\n") }
    }
}

extension ChangeConflict.Reason {
    /// The kind in the output, and the fields that the conflict concerns.
    fileprivate var shown: (kind: String, fields: [String]) {
        switch self {
        case .gone: ("conflict-gone", [])
        case .exists: ("conflict-exists", [])
        case .changed(let fields): ("conflict-changed", fields)
        case .refused(let code, _): ("conflict-\(code)", [])
        }
    }
}
