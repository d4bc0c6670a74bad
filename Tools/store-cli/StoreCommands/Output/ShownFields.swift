import StoreEngine
import StoreExpressions

/// The columns of a result: all fields of a type, or some.
struct ShownFields {
    let columns: [OutputColumn]
    private let type: RecordType
    private let fields: [ExpressionField]?
    /// For each field, the path to the record that has it; nil for a field of the record itself.
    private let paths: [ReferencePath?]

    /// - Throws: ``ExpressionError`` if `text` names a field that neither the type nor a record behind its references has;
    ///   ``StoreError``.
    init(_ text: String?, of type: OpenType, in catalog: Catalog) throws {
        let fields = try text.map { text throws(ExpressionError) in
            try FieldList.fields(text, of: type.type, among: catalog.types.map(\.type), named: "--fields")
        }
        self.type = type.type
        self.fields = fields
        paths = try (fields ?? []).map { try ReferencePath($0.name, from: type, in: catalog) }
        columns =
            fields?.map { OutputColumn($0.name.description, type: $0.type) } ?? OutputColumn.columns(of: type.type)
    }

    /// Changes a request to return each distinct row once. Unless the user asked for an order, rows are sorted by their fields if
    /// all of these have an order.
    func makeDistinct(_ request: inout Request, isSorted: Bool) {
        guard let fields else { return }
        request.isDistinct = true
        request.fields = fields.map(\.name)
        if !isSorted, fields.allSatisfy(\.valueType.isIndexable) { request.order = fields.map { SortTerm($0.name) } }
    }

    /// The shown fields of the record itself; nil for all.
    var fieldIndexes: FieldIndexSet? {
        fields.map { fields in FieldIndexSet(zip(fields, paths).compactMap { $1 == nil ? $0.fieldIndexes.first : nil })
        }
    }

    /// Returns whether a field is shown, by the name that changes use. The field belongs to the record itself or to a record
    /// behind a reference.
    func shows(_ name: String) -> Bool {
        guard let fieldIndexes else { return true }
        return type.fields.indices.contains { type.fields[$0].name == name && fieldIndexes.contains($0) }
            || followed.contains { $0.text == name }
    }

    /// The shown fields of other records.
    var followed: [FieldName] { zip(fields ?? [], paths).compactMap { $1 == nil ? nil : $0.name } }

    /// Returns the cells of a record, one per column. Reads the records that it refers to.
    func cells(_ record: DynamicRecord, _ reading: ReadContext) throws(StoreError) -> [OutputCell] {
        let values = try paths.compactMap(\.self).map { path throws(StoreError) in
            try path.value(from: record, in: reading)
        }
        return cells(record, values)
    }

    /// Returns the cells of a record, one per column.
    ///
    /// - Parameter values: the values of the fields in ``followed``.
    func cells(_ record: DynamicRecord, _ values: [DynamicValue]) -> [OutputCell] {
        guard let fields else { return record.cells(type) }
        var rest = values[...]
        return zip(fields, paths).map { field, path in
            let value = path == nil ? field.value(in: record) : rest.popFirst() ?? .none
            return OutputCell(value, as: field.type)
        }
    }
}
