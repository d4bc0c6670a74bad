import ArgumentParser
import StoreEngine
import StoreRuntime

/// `get`: prints one record.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints one record.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The record type.", completion: TypeNameCompletion.kind) var type: String
    @Argument(help: ArgumentHelp(IDArgument.help)) var id: String
    @OptionGroup var past: PastOptions

    func run() throws {
        let (record, type) = try past.read(options) { transaction in
            let catalog = transaction._reading.catalog
            let index = try catalog.requireTypeIndex(named: self.type)
            let type = catalog.types[index]
            let id = try IDArgument.parse(self.id, of: type)
            guard let record = try transaction._reading.dynamicRecord(id: id, typeIndex: index) else {
                throw IDArgument.notFound(id, type)
            }
            return (record, type.type)
        }
        try options.printing { try record.print(type, options.format, to: $0) }
    }
}
