import ArgumentParser
import StoreEngine
import StoreRuntime

/// `delete`: deletes records by id, or those that meet a condition.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes records by their ids. If one of them is missing, deletes none.",
        discussion: """
            With --where, an expression as in query, the command deletes all records that meet it, in one transaction. \
            It first prints their number. On a terminal, it then asks. Elsewhere, it requires --yes.

            References with the rule cascade or nullify delete or change other records too. The command counts them, \
            and --dry-run prints the counts and changes nothing.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: ArgumentHelp(IDArgument.help)) var ids: [String] = []
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("A condition for the records, instead of ids.", valueName: "expression"))
    var condition: String?
    @Flag(help: "Delete the records that match --where without asking.") var yes = false
    @Flag(help: "Only print how many records would be deleted or changed.") var dryRun = false

    func run() throws {
        guard ids.isEmpty != (condition == nil) else {
            throw CommandFailure(
                .usage,
                ids.isEmpty ? "name the ids to delete, or --where" : "--where replaces the ids; give one of them")
        }
        if yes, condition == nil {
            throw CommandFailure(.usage, "--yes is for --where; ids are deleted without asking")
        }
        if let condition { try delete(where: condition) } else { try deleteByID() }
    }

    private func deleteByID() throws {
        let (name, texts, isDry) = (type, ids, dryRun)
        let written = try options.write { store in
            try store.trialWrite(committingIf: { _ in !isDry }) { transaction in
                let catalog = transaction._reading.catalog
                let index = try catalog.requireTypeIndex(named: name)
                let type = catalog.types[index]
                let ids = try texts.map { try IDArgument.parse($0, of: type) }
                // A repeated id is one record.
                var seen: Set<[DynamicValue]> = []
                for id in ids where seen.insert(id).inserted {
                    guard try transaction._reading.dynamicRecord(id: id, typeIndex: index) != nil else {
                        throw IDArgument.notFound(id, type)
                    }
                }
                // All records existed. One that is gone by now was deleted with another, by the delete rule of a reference.
                for id in ids { _ = try transaction.delete(dynamicID: id, typeIndex: index) }
                return try WrittenRecords(name, namedCount: seen.count, in: transaction)
            }.result
        }
        StandardError.writeLine(written.deletionText(isDry: isDry))
    }

    private func delete(where condition: String) throws {
        let found = FoundRecords(typeName: type, condition: condition)
        try options.write { store in
            let written = try found.write("delete", to: store, isAgreed: yes, isDry: dryRun) {
                request, index, transaction in
                _ = try transaction.delete(request, typeIndex: index)
            }
            if let written { StandardError.writeLine(written.deletionText(isDry: dryRun)) }
        }
    }
}
