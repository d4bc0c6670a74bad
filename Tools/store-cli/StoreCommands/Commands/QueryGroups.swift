import StoreEngine
import StoreExpressions

/// The groups that `query --group` and `query --aggregate` print.
struct QueryGroups {
    private let fields: [ExpressionField]
    private let aggregates: [AggregateList.Column]
    private let request: Request
    let columns: [OutputColumn]

    /// - Parameters:
    ///   - group: the fields that all records of a group have in common; nil for one group of all records.
    ///   - aggregates: the columns to print besides these fields; nil for the number of records.
    /// - Throws: ``ExpressionError``; ``CommandFailure`` for an order that groups do not have.
    init(
        _ group: String?, _ aggregates: String?, _ request: Request, isSorted: Bool, of type: OpenType,
        in catalog: Catalog
    ) throws {
        let targets = catalog.types.map(\.type)
        fields =
            try group.map { text throws(ExpressionError) in
                try FieldList.fields(text, of: type.type, among: targets, named: "--group")
            } ?? []
        self.aggregates =
            try aggregates.map { text throws(ExpressionError) in
                try AggregateList.columns(text, of: type, in: catalog, named: "--aggregate")
            } ?? [.count]
        let names = fields.map(\.name)
        if isSorted, let other = request.order.first(where: { !names.contains($0.field) }) {
            throw CommandFailure(
                .usage,
                "--sort names \(other.field.text), which --group does not name; order groups by the fields of --group")
        }
        self.request = request
        columns =
            fields.map { OutputColumn($0.name.description, type: $0.type) }
            + self.aggregates.map { column in
                switch column {
                case .count: OutputColumn("count", isNumeric: true)
                case .term(let term, let type): OutputColumn("\(term.kind.rawValue):\(term.field)", type: type)
                }
            }
    }

    /// Calls `body` with the cells of each group. The request's limit and offset count groups.
    func forEach(
        _ reading: ReadContext, typeIndex: Int, _ body: ([OutputCell]) throws -> Void
    ) throws {
        var all = request
        (all.limit, all.offset) = (nil, 0)
        let terms = aggregates.compactMap { if case .term(let term, _) = $0 { term } else { nil } }
        let groups = try reading.dynamicGroups(all, by: fields.map(\.name), terms, typeIndex: typeIndex)
        for group in groups.dropFirst(request.offset).prefix(request.limit ?? .max) {
            var cells = zip(group.key, fields).map { OutputCell($0, as: $1.type) }
            var values = group.values.makeIterator()
            for column in aggregates {
                switch column {
                case .count: cells.append(OutputCell(group.count))
                case .term(_, let type): cells.append(OutputCell(values.next() ?? .none, as: type))
                }
            }
            try body(cells)
        }
    }
}
