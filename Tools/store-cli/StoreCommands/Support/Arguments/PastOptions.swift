import ArgumentParser
import StoreEngine
import StoreRuntime

/// The option of commands that can read records at an earlier position.
struct PastOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The position to read at, as in `at`; the newest by default.", valueName: "position"))
    var at: PositionArgument?

    /// Opens the store, reads records with `body`, and closes the store.
    func read<T>(_ options: GlobalOptions, _ body: (borrowing ReadTransaction) throws -> T) throws -> T {
        try options.read { store in
            guard let at else { return try store.read { try body($0) } }
            let position = try store.read { try at.position(in: $0._reading) }
            return try store.read(at: position) { try body($0) }
        }
    }
}
