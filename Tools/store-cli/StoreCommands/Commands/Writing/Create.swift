import ArgumentParser
import StoreEngine

/// `create`: makes a new store from a schema document.
struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a new store from a schema document.",
        discussion: """
            The document is what `schema --output json` prints. The directory is made when it is missing; its files \
            belong to the owner of the directory, also when root makes them.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp("The schema document, - for standard input.", valueName: "file"), completion: .file())
    var schema: String

    func run() throws {
        let path = try options.requireStore()
        let document = try InputSource(schema).readAll()
        let types = try SchemaDocument.entries(document, of: schema == "-" ? "standard input" : schema)
        try NewStore(path).create(types)
        StandardError.writeLine("created \(path) with \(Counted.text(types.count, "record type"))")
    }
}
