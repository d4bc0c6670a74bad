import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `query`: prints the records that match a condition.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the records that fit a condition.",
        discussion: """
            An expression compares fields with values or with each other: 'room == "bath" and celsius >= 20.5'. It \
            has == != < <= > >=, in [a, b], between a and b, contains, startsWith, endsWith, equals, isEmpty, \
            count(field), any (…) and all (…) of the elements of an array or a set, each called it, or by the fields of a \
            struct or of the record that it refers to; + - * / % on numbers, && || ! (also and, or, not) and parentheses. Texts, dates, UUIDs, URLs, durations, data and the names of an enum's cases \
            are in quotes, null is none. contains[c] takes upper and lower case for the same, [d] letters with and \
            without diacritics, [cd] both. A field of a struct is named with dots, address.city; a name that is no \
            plain word is in backticks.

            Behind a reference stand the fields of the record that it leads to: 'room.floor > 1'; --sort, --fields and \
            --group take them too, as does --aggregate. The records that refer to the one at hand are named by their type \
            and field: 'inverse(Sensor.room) any (celsius > 30)', with all (…), isEmpty, count(inverse(Sensor.room)) > 3 \
            and count(inverse(Sensor.room) where celsius > 30) > 3 as well. Behind references they are those that refer to \
            the record there: 'room.inverse(Sensor.room) isEmpty'.

            After a table the number of its rows is printed on standard error.

            Records come in the order of --sort, equal ones by their ids, which descend where the last field does. \
            Without --sort they come by their ids. Where --limit leaves records over, a token is printed on standard \
            error, with which --after goes on behind the last one, whatever was written in between. Behind an order through a \
            reference --offset goes on.

            --distinct prints each different row of --fields once. --group prints the groups of records that are equal in \
            some fields, in the order of these, with what --aggregate asks for: 'query Sensor --group room --aggregate \
            count,average:celsius'. Without --group, --aggregate is of all records together. Values that are none count \
            for nothing. --limit and --offset count what is printed: different rows, or groups.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @OptionGroup var wanted: RequestOptions
    @OptionGroup var past: PastOptions
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Go on behind the page that ended with this token.", valueName: "token"))
    var after: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The fields to print: a,b; all when left out.", valueName: "fields"))
    var fields: String?
    @Flag(help: "Print equal rows of --fields once.") var distinct = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Print groups of the records that are equal in these fields: a,b.", valueName: "fields"))
    var group: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What to print of each group, or of all records: count,sum:a,average:a,min:a,max:a; count when left out.",
            valueName: "values"))
    var aggregate: String?
    @Flag(help: "Print only how many there are.") var count = false
    @Flag(help: "Print how the records would be found, and do not look for them.") var explain = false
    @Flag(help: "With --explain: look for them too, and print what that took.") var analyze = false

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
                .usage, "--after is no token; give the one that stands behind a page that --limit ended")
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
