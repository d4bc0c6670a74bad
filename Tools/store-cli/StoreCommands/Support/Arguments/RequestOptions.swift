import ArgumentParser
import StoreEngine
import StoreExpressions

/// The options that select records and their order.
struct RequestOptions: ParsableArguments {
    // The values of these options may begin with a dash.
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("A condition for the records; all records by default.", valueName: "expression"))
    var condition: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to sort by, with a minus for descending order: a,-b.", valueName: "fields"))
    var sort: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of records.", valueName: "n"))
    var limit: Int?
    @Option(parsing: .unconditional, help: ArgumentHelp("The number of records to skip.", valueName: "n"))
    var offset: Int?

    /// Returns the request for the records of `type`.
    ///
    /// - Throws: ``ExpressionError``, and ``CommandFailure`` for numbers below zero.
    func request(_ type: RecordType, in catalog: Catalog) throws -> Request {
        for (name, value) in [("--limit", limit), ("--offset", offset)] {
            guard let value, value < 0 else { continue }
            throw CommandFailure(.usage, "\(name) is \(value), which is below 0")
        }
        var request = Request()
        let targets = catalog.types.map(\.type)
        if let condition {
            request.condition = try ExpressionParser.condition(condition, of: type, among: targets, named: "--where")
        }
        if let sort {
            request.order = try FieldList.order(sort, of: type, among: targets, named: "--sort")
        } else {
            // Users expect a table in the order of ids, whichever index finds the records.
            request.order = type.idFields.compactMap { type.fieldIndex(ofID: $0) }.map {
                SortTerm(FieldName([type.fields[$0].name]))
            }
        }
        request.limit = limit
        request.offset = offset ?? 0
        return request
    }
}
