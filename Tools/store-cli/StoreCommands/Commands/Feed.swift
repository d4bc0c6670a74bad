import ArgumentParser
import Foundation
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `feed`: prints the changes, change set by change set.
struct Feed: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the change sets of the feed, and with --follow each new one as it is committed.",
        discussion: """
            A position is the sequence number of a change set, its token from `stat` or from this command, oldest or \
            newest. A token also identifies the store and its history. The command prints the change sets after the \
            position. Tables and CSV have a row for each change. JSON has an object for each change set, with its \
            changes.

            --type and --where select the changes of records that meet the condition before or after the change, and \
            the changes of the type's schema. A change of kind reset means that records changed in a way that the feed \
            does not contain, for example because a program that is not ModelStore wrote. Then read the records again.

            --events writes each change as an event on its own line, in a form close to Debezium's, for programs in \
            other languages and for brokers. To continue after an event, give its source.position to --since. Every \
            change set is then delivered at least once, and each event keeps its id.

            --snapshot first writes an event with the op r for each existing record, and then continues with the \
            changes since it began. Only the last event of the snapshot has a position. A reader that did not receive \
            this event must begin again.

            --difference is for a reader that returns after change sets have left the feed, in a store that remembers \
            which records they changed. The command first prints the outcome for each of these records, and then the \
            change sets as usual. The kinds of the outcomes begin with net, because the earlier state of the record is \
            no longer known. net-put: the record exists, and may have existed before. net-absent: the record does not \
            exist, and may never have existed. net-unmatched: the record does not meet --where now.

            With --follow, the command ends when it is interrupted or when its output is closed. While it waits, it \
            holds no lock and no snapshot.
            """)

    @OptionGroup var options: GlobalOptions
    @Option(
        help: ArgumentHelp("The position to begin after; oldest by default.", valueName: "position"))
    var since: PositionArgument?
    @Flag(help: "Continue with each change set that any process commits.") var follow = false
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Only changes of this record type; may be repeated.", valueName: "type"),
        completion: TypeNameCompletion.kind)
    var types: [String] = []
    // The values of these options may begin with a dash.
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp(
            "Only changes of records that meet this condition before or after the change.", valueName: "expression"))
    var condition: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The maximum number of change sets.", valueName: "n"))
    var limit: Int?
    @Flag(help: "Print the difference by record if change sets after --since have left the feed.") var difference =
        false
    @Flag(help: "Write events, one for each change, as JSON Lines.") var events = false
    @Flag(help: "Write events of all records first.") var snapshot = false
    @Option(help: ArgumentHelp("The store's name in events; the directory's name by default.", valueName: "name"))
    var name: String?

    func run() throws {
        if let limit, limit < 0 { throw CommandFailure(.usage, "--limit is \(limit), which is below 0") }
        if condition != nil, types.count != 1 {
            throw CommandFailure(.usage, "--where applies to the records of one type; name it with --type")
        }
        if events, let output = options.output, output != .jsonl {
            throw CommandFailure(.usage, "--events writes jsonl, not \(output.rawValue)")
        }
        if snapshot, !events { throw CommandFailure(.usage, "--snapshot is for --events") }
        if snapshot, since != nil {
            throw CommandFailure(
                .usage, "--snapshot begins with all records, but --since continues after a position; give one of them")
        }
        if snapshot, limit != nil {
            throw CommandFailure(
                .usage, "--limit counts change sets, but --snapshot begins with records; give one of them")
        }
        if difference, since == nil {
            throw CommandFailure(.usage, "--difference needs a position; name it with --since")
        }
        if difference, events {
            throw CommandFailure(
                .usage, "--events writes changes, which --difference does not have; give one of them")
        }
        if name != nil, !events { throw CommandFailure(.usage, "--name is for --events") }
        let interruption = Interruption()
        if follow {
            interruption.watchSignals()
            interruption.watchOutput()
        }
        try options.read { store in try read(store, interruption) }
    }

    private func read(_ store: Store, _ interruption: Interruption) throws {
        let (start, filters) = try store.read { transaction in
            let scope = transaction._reading
            let start = since ?? .oldest
            let position = try difference ? start.differencePosition(in: scope) : start.position(in: scope)
            return (position, try self.filters(scope.catalog))
        }
        let form = try self.form()
        let records: RecordEvents? =
            if snapshot, case .events(let name) = form {
                try store.recordEvents(named: name, only: filters)
            } else { nil }
        let reading = FeedReading(
            store: store, start: records?.position ?? start, isFromOldest: (since ?? .oldest) == .oldest && !snapshot,
            records: records, tellsDifference: difference, filters: filters, follows: follow, limit: limit, form: form)
        try AsyncWork.run(endedBy: interruption) { try await reading.run(interruption) }
    }

    private func form() throws -> FeedForm {
        guard events else { return .changeSets(options.format) }
        let path = URL(filePath: try options.requireStore()).standardizedFileURL
        return .events(name: name ?? path.lastPathComponent)
    }

    /// Returns the filters from the options.
    private func filters(_ catalog: Catalog) throws -> [FeedFilter] {
        let targets = catalog.types.map(\.type)
        let filters = try types.map { name in
            let type = targets[try catalog.requireTypeIndex(named: name)]
            let condition = try condition.map {
                try ExpressionParser.condition($0, of: type, among: targets, named: "--where")
            }
            return FeedFilter(typeName: name, condition: condition)
        }
        do {
            _ = try FeedFilters(filters, catalog)
        } catch {
            throw CommandFailure(.usage, "--where: \(error.message)")
        }
        return filters
    }
}
