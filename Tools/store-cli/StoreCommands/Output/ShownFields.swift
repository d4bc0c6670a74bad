import StoreEngine
import StoreExpressions

/// The columns of a result: all fields of a type, or some.
struct ShownFields {
    let columns: [OutputColumn]
    private let type: RecordType
    private let fields: [ExpressionField]?
    /// For each field the way to the record that has it; nil for one of the record itself.
    private let paths: [ReferencePath?]

    /// - Throws: ``ExpressionError`` when `text` names fields that the type does not have.
    init(_ text: String?, of type: RecordType) throws(ExpressionError) {
        let fields = try text.map { text throws(ExpressionError) in
            try FieldList.fields(text, of: type, named: "--fields")
        }
        self.init(fields, paths: fields?.map { _ in nil } ?? [], of: type)
    }

    /// The same with fields behind references.
    ///
    /// - Throws: ``ExpressionError`` when `text` names fields that the type does not have; ``StoreError``.
    init(_ text: String?, of type: OpenType, in reading: ReadingScope) throws {
        let fields = try text.map { text throws(ExpressionError) in
            try FieldList.fields(
                text, of: type.type, among: reading.catalog.types.map(\.type), named: "--fields")
        }
        let paths = try (fields ?? []).map { try ReferencePath($0.name, from: type, in: reading.catalog) }
        self.init(fields, paths: paths, of: type.type)
    }

    private init(_ fields: [ExpressionField]?, paths: [ReferencePath?], of type: RecordType) {
        self.type = type
        self.fields = fields
        self.paths = paths
        columns =
            fields?.map { OutputColumn($0.name.description, type: $0.type) } ?? OutputColumn.columns(of: type)
    }

    /// Makes a request one for each different row. They come in the order of their fields where these have one, unless
    /// another was asked for.
    func makeDistinct(_ request: inout Request, isSorted: Bool) {
        guard let fields else { return }
        request.isDistinct = true
        request.fields = fields.map(\.name)
        if !isSorted, fields.allSatisfy(\.valueType.isIndexable) { request.order = fields.map { SortTerm($0.name) } }
    }

    /// The record's own fields that are shown, or hold what is; nil for all.
    var places: PlaceSet? { fields.map { PlaceSet($0.compactMap(\.places.first)) } }

    /// The cells of a record, one for each column, with what it refers to.
    func cells(_ record: DynamicRecord, _ reading: ReadingScope) throws(StoreError) -> [OutputCell] {
        guard let fields, paths.contains(where: { $0 != nil }) else { return cells(record) }
        return try zip(fields, paths).map { field, path throws(StoreError) in
            let value = try path?.value(from: record, in: reading) ?? field.value(in: record)
            return OutputCell(value, as: field.type)
        }
    }

    /// The cells of a record, one for each column.
    func cells(_ record: DynamicRecord) -> [OutputCell] {
        fields?.map { OutputCell($0.value(in: record), as: $0.type) } ?? record.cells(type)
    }

    /// A record as a JSON object.
    func object(_ record: DynamicRecord) -> JSONValue {
        .object(zip(columns, cells(record)).map { JSONMember($0.name, $1.json) })
    }
}
