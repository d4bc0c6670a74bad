import StoreEngine
import StoreExpressions

/// The columns of a result: all fields of a type, or some.
struct ShownFields {
    let columns: [OutputColumn]
    private let type: RecordType
    private let fields: [ExpressionField]?

    /// - Throws: ``ExpressionError`` when `text` names fields that the type does not have.
    init(_ text: String?, of type: RecordType) throws(ExpressionError) {
        self.type = type
        guard let text else {
            fields = nil
            columns = OutputColumn.columns(of: type)
            return
        }
        let fields = try FieldList.fields(text, of: type, named: "--fields")
        self.fields = fields
        columns = fields.map { OutputColumn($0.name.description, type: $0.type) }
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

    /// The cells of a record, one for each column.
    func cells(_ record: DynamicRecord) -> [OutputCell] {
        fields?.map { OutputCell($0.value(in: record), as: $0.type) } ?? record.cells(type)
    }

    /// A record as a JSON object.
    func object(_ record: DynamicRecord) -> JSONValue {
        .object(zip(columns, cells(record)).map { JSONMember($0.name, $1.json) })
    }
}
