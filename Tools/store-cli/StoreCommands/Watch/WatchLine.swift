import StoreEngine
import StoreRuntime

/// One line of `watch`: a row of the first result, or one change.
struct WatchLine {
    /// `snapshot`, `insert`, `update`, `move` or `delete`.
    let kind: String
    let position: UInt64
    /// The index in the new rows; for a delete, in the old rows.
    let index: Int
    /// The index of a moved row in the old rows.
    let from: Int?
    /// The fields that an update changed.
    let changed: [String]?
    let record: DynamicRecord
    /// The values of the shown fields of other records.
    private let followed: [DynamicValue]

    /// Creates the line for a row of the first result.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    init(snapshot rows: DynamicRows, index: Int, position: UInt64) throws(StoreError) {
        kind = "snapshot"
        self.position = position
        self.index = index
        from = nil
        changed = nil
        record = try rows.record(index)
        followed = rows.followed(index)
    }

    /// Creates the line for a change. An update names the shown fields only.
    init(_ change: DynamicRowChange, of shown: ShownFields, position: UInt64) {
        self.position = position
        index = change.index
        record = change.record
        followed = change.followed
        switch change.kind {
        case .insert: (kind, from, changed) = ("insert", nil, nil)
        case .update(let fields): (kind, from, changed) = ("update", nil, fields.filter(shown.shows))
        case .move(let old): (kind, from, changed) = ("move", old, nil)
        case .delete: (kind, from, changed) = ("delete", nil, nil)
        }
    }

    /// Returns the line as a JSON object.
    func object(_ shown: ShownFields, _ type: OpenType) -> JSONValue {
        var members = [
            JSONMember("kind", .string(kind)), JSONMember("position", .number(JSONNumber(position))),
            JSONMember("id", record.idJSON(type)),
        ]
        if let from { members.append(JSONMember("from", .number(JSONNumber(from)))) }
        members.append(JSONMember("index", .number(JSONNumber(index))))
        if let changed { members.append(JSONMember("changed", .array(changed.map { .string($0) }))) }
        members.append(JSONMember("row", row(shown)))
        return .object(members)
    }

    /// Returns the columns before those of the fields. They have room for most changes, so that later lines align with the
    /// titles.
    static func columns(_ shown: ShownFields) -> [OutputColumn] {
        let names = shown.columns.map(\.name).joined(separator: ", ")
        return [
            OutputColumn("position", isNumeric: true), OutputColumn("kind", width: "snapshot".count),
            OutputColumn("from", isNumeric: true), OutputColumn("index", isNumeric: true), OutputColumn("id"),
            OutputColumn("changed", width: min(names.count, 16)),
        ]
    }

    /// Returns the line as cells: those of ``columns(_:)``, then those of the fields.
    func cells(_ shown: ShownFields, _ type: OpenType) -> [OutputCell] {
        [
            OutputCell(.number(JSONNumber(position))), OutputCell(kind),
            from.map { OutputCell($0) } ?? OutputCell(.null),
            OutputCell(index), OutputCell(record.idJSON(type)), changed.map { OutputCell($0) } ?? OutputCell(.null),
        ] + shown.cells(record, followed)
    }

    private func row(_ shown: ShownFields) -> JSONValue {
        .object(zip(shown.columns, shown.cells(record, followed)).map { JSONMember($0.name, $1.json) })
    }
}
