import ArgumentParser
import StoreEngine
import StoreRuntime

/// `query`: the records that fit a condition.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the records that fit a condition.",
        discussion: """
            An expression compares fields with values or with each other: 'room == "bath" and celsius >= 20.5'. It \
            has == != < <= > >=, in [a, b], between a and b, contains, startsWith, endsWith, equals, isEmpty, \
            count(field), any (…) and all (…) of the elements of an array or a set, each called it, or by the fields of a \
            struct; + - * / % on numbers, && || ! (also and, or, not) and parentheses. Texts, dates, UUIDs, URLs, durations and data \
            are in quotes, null is none. contains[c] takes upper and lower case for the same, [d] letters with and \
            without diacritics, [cd] both. A field of a struct is named with dots, address.city; a name that is no \
            plain word is in backticks.

            Records come in the order of --sort, equal ones by their ids, which descend where the last field does. \
            Without --sort they come by their ids. Where --limit leaves records over, a token is printed on standard \
            error, with which --after goes on behind the last one, whatever was written in between.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @OptionGroup var wanted: RequestOptions
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to print: a,b; all when left out.", valueName: "fields"))
    var fields: String?
    @Flag(help: "Print only how many records there are.") var count = false
    @Flag(help: "Print how the records would be found, and do not look for them.") var explain = false

    func run() throws {
        if count, explain { throw CommandFailure(.usage, "--count and --explain exclude each other; give one of them") }
        if count || explain, fields != nil {
            throw CommandFailure(
                .usage, "--fields is for records, which --\(count ? "count" : "explain") does not print")
        }
        try options.read { store in
            try store.read { transaction in
                let reading = transaction._reading
                let index = try reading.catalog.requirePlace(ofTypeNamed: type)
                let type = reading.catalog.types[index].type
                let request = try wanted.request(type, in: reading.catalog)
                try options.printing { output in
                    if count {
                        let count = OutputCell(try reading.count(request, typeIndex: index))
                        try printOne(OutputColumn("count", isNumeric: true), count, to: output)
                    } else if explain {
                        let plan = OutputCell(try reading.explain(request, typeIndex: index))
                        try printOne(OutputColumn("plan"), plan, to: output)
                    } else {
                        let shown = try ShownFields(fields, of: type)
                        var printer = try RowPrinter(options.format, columns: shown.columns, to: output)
                        let next = try print(request, typeIndex: index, reading) { record in
                            try printer.append(shown.cells(record))
                        }
                        try printer.finish()
                        try output.flush()
                        if let next { StandardError.writeLine("next page: --after \(next)") }
                    }
                }
            }
        }
    }

    /// Prints the records that are asked for.
    ///
    /// - Returns: where the next page begins, if a limit ends this one.
    private func print(
        _ request: Request, typeIndex: Int, _ reading: ReadingScope, _ body: (DynamicRecord) throws -> Void
    ) throws -> PageToken? {
        guard let limit = request.limit, limit > 0 else {
            try reading.fetchDynamic(request, typeIndex: typeIndex) { record in
                try body(record)
                return true
            }
            return nil
        }
        let page = try reading.dynamicPage(request, typeIndex: typeIndex)
        for record in page.rows { try body(record) }
        return page.next
    }

    /// Prints the only value: as it is where people or scripts read it, named where a program does.
    private func printOne(_ column: OutputColumn, _ cell: OutputCell, to output: StandardOutput) throws {
        guard options.format != .table else {
            let lines = cell.text.split(separator: "\n", omittingEmptySubsequences: true)
            for line in lines { try output.write(DisplayText.escaped(String(line)) + "\n") }
            return
        }
        try RowPrinter.printOne(options.format, columns: [column], [cell], to: output)
    }
}

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

    /// The cells of a record, one for each column.
    func cells(_ record: DynamicRecord) -> [OutputCell] {
        fields?.map { OutputCell($0.value(in: record), as: $0.type) } ?? record.cells(type)
    }
}
