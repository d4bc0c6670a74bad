import ArgumentParser
import StoreEngine
import StoreRuntime

/// `delete`: records by their ids.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Deletes records by their ids, all of them or, when one is missing, none.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: ArgumentHelp(IDArgument.help)) var ids: [String]

    func run() throws {
        let (name, texts) = (type, ids)
        let count = try options.write { store in
            try store.write { transaction in
                let catalog = transaction._reading.catalog
                let index = try catalog.requirePlace(ofTypeNamed: name)
                let type = catalog.types[index]
                let ids = try texts.map { try IDArgument.parse($0, of: type) }
                // An id that is given twice is one record.
                var seen: Set<[DynamicValue]> = []
                for id in ids where seen.insert(id).inserted {
                    guard try transaction.delete(dynamicID: id, typeIndex: index) else {
                        throw IDArgument.notFound(id, type)
                    }
                }
                return seen.count
            }.result
        }
        StandardError.writeLine("deleted \(Counted.text(count, "record"))")
    }
}
