import StoreEngine
import StoreRuntime

/// Writes each change as a row: aligned in a table, or as CSV.
struct FeedRows: FeedPrinter {
    private let format: OutputFormat
    private var rows: RowPrinter
    private var count = 0

    /// The number of rows that are aligned together.
    static let blockRowCount = 500

    private static let tableColumns = [
        OutputColumn("position", isNumeric: true), OutputColumn("time"), OutputColumn("origin"), OutputColumn("kind"),
        OutputColumn("type"), OutputColumn("id"), OutputColumn("changes"),
    ]
    private static let csvColumns = [
        "position", "time", "origin", "process", "kind", "type", "id", "changed", "before", "after",
    ].map { OutputColumn($0) }

    init(_ format: OutputFormat, to output: StandardOutput) throws {
        self.format = format
        let columns = format == .csv ? Self.csvColumns : Self.tableColumns
        rows = try RowPrinter(format, columns: columns, to: output)
    }

    mutating func append(_ changeSet: ChangeSet) throws {
        if let action = changeSet.action { try append(action, of: changeSet) }
        for change in changeSet.changes {
            let id = OutputCell(try change.id() ?? .null)
            let common = Self.common(changeSet)
            let named = [OutputCell(change.kind.name), OutputCell(change.typeName), id]
            if format == .csv {
                try rows.append(
                    common + [OutputCell(Int(changeSet.origin.processID))] + named + [
                        OutputCell(change.changedFields), OutputCell(try change.before() ?? .null),
                        OutputCell(try change.after() ?? .null),
                    ])
            } else {
                try rows.append(common + named + [OutputCell(try change.summary())])
            }
            try endRow()
        }
    }

    /// Writes the action that caused a change set. It has a row of its own before the rows of the changes.
    private mutating func append(_ action: RecordedAction, of changeSet: ChangeSet) throws {
        let payload = try JSONReader.read(action.payload)
        let named = [OutputCell("action"), OutputCell(action.name), OutputCell("")]
        if format == .csv {
            try rows.append(
                Self.common(changeSet) + [OutputCell(Int(changeSet.origin.processID))] + named + [
                    OutputCell(""), OutputCell(.null), OutputCell(payload),
                ])
        } else {
            try rows.append(Self.common(changeSet) + named + [OutputCell(JSONWriter.text(of: payload))])
        }
    }

    private static func common(_ changeSet: ChangeSet) -> [OutputCell] {
        [
            OutputCell(.number(JSONNumber(changeSet.sequence))), OutputCell(changeSet.time.iso8601),
            OutputCell(changeSet.originText),
        ]
    }

    func endChangeSet() {}

    mutating func flush() throws { try rows.endBlock() }

    mutating func finish() throws { try rows.finish() }

    /// Ends a row. The rows of a block are aligned together.
    private mutating func endRow() throws {
        count += 1
        if count.isMultiple(of: Self.blockRowCount) { try rows.endBlock() }
    }
}

extension FeedRows: FeedDifferencePrinter {
    /// Writes rows like those of changes. The time and the origin of these changes are not known.
    mutating func append(_ difference: FeedDifference) throws {
        let none = OutputCell(.null)
        for record in difference.records {
            let row = OutputCell(try record.rowValue() ?? .null)
            let position = OutputCell(.number(JSONNumber(difference.newest)))
            let named = [
                OutputCell(record.name), OutputCell(record.typeName), OutputCell(try record.idValue() ?? .null),
            ]
            let made = [position, none, none]
            try rows.append(format == .csv ? made + [none] + named + [none, none, row] : made + named + [row])
            try endRow()
        }
    }

    func endDifference(at position: Position) {}
}
