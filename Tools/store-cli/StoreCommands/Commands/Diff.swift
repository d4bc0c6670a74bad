import ArgumentParser
import StoreEngine
import StoreRuntime

/// `diff`: shows how the records differ between two positions.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints what the records differ in between two positions.",
        discussion: """
            A position is the sequence number of a change set, or the token that stands for it in `stat` and `feed`; \
            oldest and newest are positions too. The second may be the earlier one: then what was inserted in between is \
            deleted, and so on.

            Each record that differs is there once, however often it was changed: with its kind (insert, update, delete, \
            or replace where it is another record under the same id), and the fields that differ. Tables and CSV have a \
            row for each record, JSON an object.
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
                "note: the schema of \(names) was changed in between; records are shown by that of now")
        }
    }
}
