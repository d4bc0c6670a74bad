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
            A position is the sequence number of a change set, or the token that stands for it in `stat` and here, which \
            also tells which store and history it is of; what comes after it is printed. oldest and newest are \
            positions too. Tables and CSV have a row for each change, JSON an object for each change set, with its \
            changes.

            --type and --where let through the changes of records that meet the condition before or after them, \
            and those of the type's schema. A change of kind reset means that records changed in a way the feed does not \
            tell, as when a program that is not ModelStore wrote; they have to be read afresh.

            --events writes each change as an event on a line of its own, in a form close to Debezium's, for programs in \
            other languages and for brokers. An event's source.position given to --since goes on after it: every change \
            set comes at least once, and each event's id stays the same.

            --snapshot first writes an event with the op r for each record that there is, and goes on with what was \
            changed since it began. Only the last of these events has a position: whoever has not got it begins anew.

            --difference is for who comes back after change sets have left the feed, in a store that remembers which records they \
            changed: first comes what became of each record since, and then the change sets as ever. Its kinds begin with \
            net: what a record was before is not known any more. net-put is a record that is there now and may have been before, \
            net-absent one that is gone and may never have been there, net-unmatched one that does not meet --where now.

            With --follow it ends when it is interrupted or nobody reads its output any more. It holds no lock and no \
            snapshot while it waits.
            """)

    @OptionGroup var options: GlobalOptions
    @Option(
        help: ArgumentHelp("The position to begin after; oldest when left out.", valueName: "position"))
    var since: PositionArgument?
    @Flag(help: "Go on with each change set as it is committed, by whatever process.") var follow = false
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("Only changes of this record type; may be repeated.", valueName: "type"),
        completion: TypeNameCompletion.kind)
    var types: [String] = []
    // The values of these options may begin with a dash.
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("Only changes of records that meet this before or after.", valueName: "expression"))
    var condition: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("How many change sets at most.", valueName: "n"))
    var limit: Int?
    @Flag(help: "Tell the difference by record where change sets after --since have left the feed.") var difference =
        false
    @Flag(help: "Write events, one for each change, as JSON Lines.") var events = false
    @Flag(help: "Write events of all records first.") var snapshot = false
    @Option(help: ArgumentHelp("What events call the store; the directory's name when left out.", valueName: "name"))
    var name: String?

    func run() throws {
        if let limit, limit < 0 { throw CommandFailure(.usage, "--limit is \(limit), which is below 0") }
        if condition != nil, types.count != 1 {
            throw CommandFailure(.usage, "--where is about the records of one type; name it with --type")
        }
        if events, let output = options.output, output != .jsonl {
            throw CommandFailure(.usage, "--events writes jsonl, not \(output.rawValue)")
        }
        if snapshot, !events { throw CommandFailure(.usage, "--snapshot is for --events") }
        if snapshot, since != nil {
            throw CommandFailure(.usage, "--snapshot begins with all records, --since goes on; give one of them")
        }
        if snapshot, limit != nil {
            throw CommandFailure(.usage, "--limit counts change sets, which --snapshot does not begin with")
        }
        if difference, since == nil {
            throw CommandFailure(.usage, "--difference is told since a position; name it with --since")
        }
        if difference, events {
            throw CommandFailure(
                .usage, "--events tells changes, and --difference does not know them; give one of them")
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
