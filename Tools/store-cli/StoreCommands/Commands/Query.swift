import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `query`: prints the records that match a condition.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the records that match a condition.",
        discussion: """
            An expression compares fields with values or with each other: 'room == "bath" and celsius >= 20.5'.

            Operators: == != < <= > >=, in [a, b], between a and b, contains, startsWith, endsWith, equals, isEmpty, \
            count(field); + - * / % on numbers; && || ! (also and, or, not) and parentheses. contains[c] ignores case, \
            [d] ignores diacritics, and [cd] ignores both.

            Values: texts, dates, UUIDs, URLs, durations, data and the names of an enum's cases are in quotes. null is \
            a missing value.

            Names: dots lead to a field of a struct, address.city. A name that is not a plain word is in backticks.

            Elements: any (…) and all (…) test the elements of an array or a set. In the parentheses, it is the \
            element. If the element is a struct or a reference, names are the fields of the struct or of the \
            referenced record.

            References: dots lead to the fields of the referenced record: 'room.floor > 1'. --sort, --fields, --group \
            and --aggregate accept them too. inverse(Sensor.room) is the records of type Sensor whose field room \
            refers to this record. It takes any (…), all (…), isEmpty and count: 'inverse(Sensor.room) any (celsius > \
            30)', 'count(inverse(Sensor.room)) > 3', 'count(inverse(Sensor.room) where celsius > 30) > 3'. After a \
            reference, it is the records that refer to the referenced record: 'room.inverse(Sensor.room) isEmpty'.

            Order and pages: records have the order of --sort. Equal records have the order of their ids, which \
            descends if the last field does. Without --sort, records have the order of their ids. If --limit leaves \
            records over, the command prints a token on standard error. --after with this token continues after the \
            last record, whatever was written in between. In an order through a reference, continue with --offset.

            Groups: --distinct prints each different row of --fields once. --group prints the groups of records that \
            are equal in some fields, in the order of these fields, with the values of --aggregate: 'query Sensor \
            --group room --aggregate count,average:celsius'. Without --group, --aggregate applies to all records \
            together. Aggregates of a field ignore missing values. --limit and --offset count the printed rows or \
            groups.

            After a table, the command prints the number of rows on standard error.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @OptionGroup var wanted: RequestOptions
    @OptionGroup var past: PastOptions
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Continue after the page that ended with this token.", valueName: "token"))
    var after: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to print: a,b; all by default.", valueName: "fields"))
    var fields: String?
    @Flag(help: "Print equal rows of --fields once.") var distinct = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Print groups of the records that are equal in these fields: a,b.", valueName: "fields"))
    var group: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The values to print for each group, or for all records: count,sum:a,average:a,min:a,max:a; count by default.",
            valueName: "values"))
    var aggregate: String?
    @Flag(help: "Print only the number of records.") var count = false
    @Flag(help: "Print the plan of the query without running it.") var explain = false
    @Flag(help: "With --explain: also run the query, and print the work of each step.") var analyze = false

    func run() throws {
        try requireFittingOptions()
        try past.read(options) { transaction in
            let reading = transaction._reading
            let index = try reading.catalog.requireTypeIndex(named: type)
            let type = reading.catalog.types[index].type
            var request = try wanted.request(type, in: reading.catalog)
            if let after { try goOn(after, &request) }
            let shown = try ShownFields(fields, of: reading.catalog.types[index], in: reading.catalog)
            if distinct { shown.makeDistinct(&request, isSorted: wanted.sort != nil) }
            try options.printing { output in
                if count {
                    let count = OutputCell(try reading.count(request, typeIndex: index))
                    try printOne(OutputColumn("count", isNumeric: true), count, to: output)
                } else if explain {
                    let plan = OutputCell(try reading.explain(request, typeIndex: index, analyzed: analyze))
                    try printOne(OutputColumn("plan"), plan, to: output)
                } else if isGrouped {
                    let groups = try QueryGroups(
                        group, aggregate, request, isSorted: wanted.sort != nil,
                        of: reading.catalog.types[index], in: reading.catalog)
                    var printer = try RowPrinter(options.format, columns: groups.columns, to: output)
                    try groups.forEach(reading, typeIndex: index) { try printer.append($0) }
                    try printer.finish()
                    try output.flush()
                    note(printer.count, group == nil ? "row" : "group")
                } else {
                    var printer = try RowPrinter(options.format, columns: shown.columns, to: output)
                    let next = try print(request, typeIndex: index, reading) { record in
                        try printer.append(shown.cells(record, reading))
                    }
                    try printer.finish()
                    try output.flush()
                    note(printer.count, "row")
                    if let next { StandardError.writeLine("next page: --after \(next)", isWhole: true) }
                }
            }
        }
    }

    /// Prints the number of a table's rows. The other forms are for programs, which count rows themselves.
    private func note(_ count: Int, _ noun: String) {
        if options.format == .table { StandardError.writeLine(Counted.text(count, noun)) }
    }

    private var isGrouped: Bool { group != nil || aggregate != nil }

    private func requireFittingOptions() throws(CommandFailure) {
        if count, explain { throw CommandFailure(.usage, "--count and --explain exclude each other; give one of them") }
        if analyze, !explain { throw CommandFailure(.usage, "--analyze is for --explain; give both") }
        if distinct, fields == nil {
            throw CommandFailure(.usage, "--distinct is for --fields, since whole records differ; give both")
        }
        if count || explain, fields != nil, !distinct {
            throw CommandFailure(
                .usage, "--fields is for records, which --\(count ? "count" : "explain") does not print")
        }
        if distinct || isGrouped, after != nil {
            throw CommandFailure(.usage, "--after is for pages of records; use --offset")
        }
        let others = [("count", count), ("explain", explain), ("distinct", distinct), ("fields", fields != nil)]
        if isGrouped, let other = others.first(where: \.1)?.0 {
            let own = group == nil ? "aggregate" : "group"
            throw CommandFailure(.usage, "--\(own) and --\(other) exclude each other; give one of them")
        }
    }

    /// Continues a request after the end of a page.
    private func goOn(_ after: String, _ request: inout Request) throws(CommandFailure) {
        guard wanted.offset == nil else {
            throw CommandFailure(.usage, "--after and --offset exclude each other; give one of them")
        }
        guard let token = PageToken(after) else {
            throw CommandFailure(
                .usage, "--after is not a token; give the token that a query with --limit printed")
        }
        request.goOn(.token(token))
    }

    /// Prints the records of a request.
    ///
    /// - Returns: the start of the next page, if a limit ends this one.
    private func print(
        _ request: Request, typeIndex: Int, _ reading: ReadContext, _ body: (DynamicRecord) throws -> Void
    ) throws -> PageToken? {
        guard let limit = request.limit, limit > 0, request.position != nil || !request.isDistinct else {
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

    /// Prints the only value: bare in a table, with its name in the forms for programs.
    private func printOne(_ column: OutputColumn, _ cell: OutputCell, to output: StandardOutput) throws {
        guard options.format != .table else {
            let lines = cell.text.split(separator: "\n", omittingEmptySubsequences: true)
            for line in lines { try output.write(DisplayText.escaped(String(line)) + "\n") }
            return
        }
        try RowPrinter.printOne(options.format, columns: [column], [cell], to: output)
    }
}
