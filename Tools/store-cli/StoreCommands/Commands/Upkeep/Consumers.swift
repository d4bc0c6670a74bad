import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `consumers`: lists the named readers of the feed whose positions the store keeps.
struct Consumers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the consumers of the feed with their positions and lag, and creates, moves or deletes them.",
        discussion: """
            Without a subcommand, the command lists each consumer: its position, the number of later change sets that \
            it wants (lag), whether a process holds it, whether it has expired because change sets that it had not \
            seen are gone, how many change sets it left out because they failed (skipped), and when its position last \
            moved.
            """,
        subcommands: [ConsumersList.self, ConsumersCreate.self, ConsumersReset.self, ConsumersDelete.self],
        defaultSubcommand: ConsumersList.self)
}

/// `consumers list`: the default subcommand of `consumers`.
struct ConsumersList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the consumers.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        let consumers = try options.read { try $0.consumersByConditions() }
        try options.printing { output in
            var printer = try RowPrinter(options.format, columns: ConsumerRow.columns, to: output)
            for consumer in consumers { try printer.append(ConsumerRow.cells(consumer)) }
            try printer.finish()
        }
        for consumer in consumers {
            guard let bound = consumer.lagBound else { continue }
            let count = Counted.text(Int(clamping: consumer.lag), "change set")
            StandardError.writeLine(
                "note: \(consumer.name) wants at most \(count): \(ConsumerRow.reason(bound))")
        }
    }
}

/// `consumers create`: creates a consumer before its program starts.
struct ConsumersCreate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Creates a consumer before its program starts.",
        discussion: """
            From then on, the feed retains the change sets after the position for the consumer, within its lease. A \
            consumer that does not exist is also created when its program starts.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The consumer.") var name: String
    @Option(help: ArgumentHelp("The position to begin after, or oldest or newest.", valueName: "position"))
    var at: PositionArgument

    func run() throws {
        let (name, start) = (name, at.start)
        try options.write { store in
            let position = try AsyncWork.run { try await store.createConsumer(name, at: start) }
            StandardError.writeLine("\(name) begins after position \(position.sequence)")
        }
    }
}

/// `consumers reset`: moves a consumer to another position.
struct ConsumersReset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Moves a consumer to another position.",
        discussion: """
            An expired consumer can continue. A process that holds the consumer loses it, and gets an error at its \
            next acknowledgement.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The consumer.") var name: String
    @Option(help: ArgumentHelp("The position to continue after, or oldest or newest.", valueName: "position"))
    var to: PositionArgument

    func run() throws {
        let (name, start) = (name, to.start)
        try options.write { store in
            let position = try AsyncWork.run {
                try await store.resetConsumer(name, to: start)
                return try store.consumers().first { $0.name == name }?.position
            }
            let next = position.map { "position \($0.sequence)" } ?? "another position"
            StandardError.writeLine("\(name) continues after \(next)")
        }
    }
}

/// `consumers delete`: removes a consumer.
struct ConsumersDelete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes a consumer and its position.",
        discussion: """
            A process that holds the consumer loses it, and gets an error at its next acknowledgement. On a terminal, \
            the command asks first. Elsewhere, it requires --yes.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The consumer.") var name: String
    @Flag(help: "Delete it without asking.") var yes = false

    func run() throws {
        let name = name
        try options.write { store in
            guard let consumer = try store.consumers().first(where: { $0.name == name }) else {
                throw try store.read { $0._reading.consumerNotFound(name) }
            }
            let held = consumer.isHeld ? ", and is held by a process" : ""
            StandardError.writeLine("\(name) is at position \(consumer.position.sequence)\(held)")
            guard try yes || Confirmation.ask("delete it") else {
                throw CommandFailure(.failed, "nothing was deleted")
            }
            try AsyncWork.run { try await store.deleteConsumer(name) }
            StandardError.writeLine("deleted \(name)")
        }
    }
}

extension Store {
    /// Returns the consumers. Their lag counts only change sets that match their filters' conditions.
    func consumersByConditions() throws -> [ConsumerInformation] {
        try consumers { text, typeName, catalog in
            let targets = catalog.types.map(\.type)
            guard let typeIndex = catalog.typeIndex(named: typeName) else { return nil }
            return try? ExpressionParser.condition(text, of: targets[typeIndex], among: targets, named: typeName)
        }
    }
}

/// A consumer as a row of output.
enum ConsumerRow {
    static let columns = [
        OutputColumn("name"), OutputColumn("position", isNumeric: true), OutputColumn("lag", isNumeric: true),
        OutputColumn("isHeld"), OutputColumn("isExpired"), OutputColumn("skipped", isNumeric: true),
        OutputColumn("moved"),
    ]

    static func cells(_ consumer: ConsumerInformation) -> [OutputCell] {
        [
            OutputCell(consumer.name), OutputCell(.number(JSONNumber(consumer.position.sequence))),
            OutputCell(.number(JSONNumber(consumer.lag))), OutputCell(.bool(consumer.isHeld)),
            OutputCell(.bool(consumer.isExpired)), OutputCell(.number(JSONNumber(consumer.skippedCount))),
            OutputCell(consumer.advancedAt.iso8601),
        ]
    }

    /// Returns the reason why the lag is an upper bound, for a note.
    static func reason(_ bound: ConsumerInformation.LagBound) -> String {
        switch bound {
        case .unknownCondition: "its filter has a condition that only its own program can read"
        case .tooFarBehind: "only the first 16 MiB or 16,000 changes were compared with its filter"
        case .outdatedFilter: "its filter does not match the store's schema"
        case .missingChangeSets: "change sets after its position are no longer retained, or cannot be read"
        }
    }

    /// Returns the row as a JSON object.
    static func object(_ consumer: ConsumerInformation) -> JSONValue {
        .object(zip(columns, cells(consumer)).map { JSONMember($0.name, $1.json) })
    }
}
