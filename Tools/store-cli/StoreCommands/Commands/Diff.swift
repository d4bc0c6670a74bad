import ArgumentParser
import StoreEngine
import StoreRuntime

/// `diff`: shows how the records differ between two positions.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the differences between the records at two positions.",
        discussion: """
            A position is the sequence number of a change set, its token from `stat` or `feed`, oldest or newest. The \
            second position may be the earlier one. Then records that were inserted in between count as deleted, and \
            so on.

            Each record that differs appears once, however often it changed: with its kind (insert, update, delete, or \
            replace if another record has the same id), and the fields that differ. Tables and CSV have a row for each \
            record, JSON has an object.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The position of the first state.") var from: PositionArgument
    @Argument(help: "The position of the second state.") var to: PositionArgument
    @Argument(help: "Only records of this type.", completion: TypeNameCompletion.kind) var type: String?

    func run() throws {
        let difference = try options.read { store in
            try store.read { transaction in
                let scope = transaction._reading
                let typeIndex = try type.map { try scope.catalog.requireTypeIndex(named: $0) }
                return try StoreDifference(
                    from: from.position(in: scope), to: to.position(in: scope), typeIndex: typeIndex, scope)
            }
        }
        try options.printing { output in
            var printer = try DifferencePrinter(options.format, to: output)
            for change in difference.changes { try printer.append(change) }
            try printer.finish()
        }
        let count = difference.changes.count
        StandardError.writeLine("\(Counted.text(count, "record")) \(count == 1 ? "differs" : "differ")")
        if !difference.changedTypes.isEmpty {
            let names = difference.changedTypes.joined(separator: ", ")
            StandardError.writeLine(
                "note: the schema of \(names) changed in between; records are shown in the current schema")
        }
    }
}
