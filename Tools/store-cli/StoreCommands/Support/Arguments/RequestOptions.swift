import ArgumentParser
import StoreEngine
import StoreExpressions

/// The options that say which records are wanted, and in which order.
struct RequestOptions: ParsableArguments {
    // What these options take may begin with a dash.
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Which records; all when left out.", valueName: "expression"))
    var condition: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to order by, with a minus those that descend: a,-b.", valueName: "fields"))
    var sort: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("How many records at most.", valueName: "n"))
    var limit: Int?
    @Option(parsing: .unconditional, help: ArgumentHelp("How many of the first to leave out.", valueName: "n"))
    var offset: Int?

    /// What is asked of the records of `type`.
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
            // As people expect it of a table, whichever index finds the records.
            request.order = type.idFields.compactMap { type.fieldIndex(ofID: $0) }.map {
                SortTerm(FieldName([type.fields[$0].name]))
            }
        }
        request.limit = limit
        request.offset = offset ?? 0
        return request
    }
}
