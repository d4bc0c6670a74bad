import ArgumentParser
import StoreEngine

/// `create`: makes a new store from a schema document.
struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates a new store from a schema document.",
        discussion: """
            The document is the output of `schema --output json`. The command creates a missing directory. The files \
            belong to the owner of the directory, even if root creates them.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp("The schema document, or - for standard input.", valueName: "file"), completion: .file())
    var schema: String

    func run() throws {
        let path = try options.requireStore()
        let document = try InputSource(schema).readAll()
        let types = try SchemaDocument.entries(document, of: schema == "-" ? "standard input" : schema)
        try NewStore(path).create(types)
        StandardError.writeLine("created \(path) with \(Counted.text(types.count, "record type"))")
    }
}
