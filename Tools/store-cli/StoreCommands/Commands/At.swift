import ArgumentParser
import StoreEngine

/// `at`: runs another command on the store as it was at an earlier position.
struct At: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs get, query or export on the store as it was at a position.",
        usage: "store-cli --store DIR at POSITION get|query|export …",
        discussion: """
            A position is the sequence number of a change set, its token from `stat` or `feed`, oldest or newest. The \
            command sees the records as they were after that change set. The feed must still contain all later change \
            sets.

            The command uses the current schema: a field that was added later has its default, and a type that was \
            added later has no records.
            """)

    /// The commands that read records.
    private static let commands: [any ParsableCommand.Type] = [Get.self, Query.self, Export.self]

    @Argument(help: ArgumentHelp("The position.", valueName: "position")) var position: String
    @Argument(
        parsing: .captureForPassthrough,
        help: ArgumentHelp("The command and its arguments.", valueName: "command"))
    var command: [String] = []

    func run() throws {
        // The inner command takes the position as an option, but the user never wrote that option. So a bad position is reported
        // here.
        guard PositionArgument(argument: position) != nil else {
            throw ValidationError("The value '\(RecordText.shortened(position))' is invalid for '<position>'")
        }
        let names = Self.commands.map { $0._commandName }
        let word = command.first { !$0.hasPrefix("-") }
        guard let word, word == command.first, names.contains(word) else {
            throw CommandFailure(
                .usage,
                "the position must be followed by one of the commands \(names.joined(separator: ", "))"
                    + (word.map { ", and not \(RecordText.shortened($0))" } ?? ""))
        }
        var inner = try StoreCLI.parseAsRoot([word, "--at", position] + command.dropFirst())
        try inner.run()
    }
}
