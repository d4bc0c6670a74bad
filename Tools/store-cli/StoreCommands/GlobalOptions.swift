import ArgumentParser
import StoreEngine
import StoreRuntime

/// The options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The store's directory; MODELSTORE_DIR by default.", valueName: "dir"),
        completion: .directory)
    var store: String?

    @Option(help: ArgumentHelp("The output format: table, json, jsonl or csv.", valueName: "form"))
    var output: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "How long to wait for another program that writes; no limit by default.", valueName: "seconds"))
    var timeout: TimeoutArgument?

    /// The store's directory; nil if none is named.
    var namedStore: String? {
        let path = store ?? TerminalSize.variable("MODELSTORE_DIR")
        return path?.isEmpty == false ? path : nil
    }

    /// Returns the store's directory.
    func requireStore() throws -> String {
        guard let path = namedStore else {
            throw CommandFailure(.usage, "no store is named; give --store DIR or set MODELSTORE_DIR")
        }
        return path
    }

    /// The form of results; a table by default.
    var format: OutputFormat { output ?? .table }

    /// Options for looking into the files of a store without opening it.
    func inspecting(_ path: String) -> StoreOptions {
        var options = StoreAccess.options(path)
        options.writeTimeout = timeout?.duration
        return options
    }

    /// Opens the store for reading and closes it after `body`.
    func read<T>(_ body: (Store) throws -> T) throws -> T {
        let store = try StoreAccess.openForReading(requireStore(), timeout: timeout?.duration)
        defer { store.close() }
        return try body(store)
    }

    /// Opens the store for writing and closes it after `body`.
    ///
    /// - Parameter printsResult: whether the command prints its changes. If so, standard output must be writable before the
    ///   command writes.
    func write<T>(printsResult: Bool = false, _ body: (Store) throws -> T) throws -> T {
        if printsResult { try StandardOutput.requireOpen() }
        let store = try StoreAccess.openForWriting(requireStore(), timeout: timeout?.duration)
        defer { store.close() }
        return try body(store)
    }

    /// Runs `body` with standard output, and flushes the output.
    func printing(_ body: (StandardOutput) throws -> Void) throws {
        let output = StandardOutput()
        try body(output)
        try output.flush()
    }
}

/// The options before the command, in the form of `store-cli --store DIR get …`.
enum GlobalArguments {
    private static let names = ["--store", "--output", "--timeout"]

    /// Returns the arguments with the leading options moved behind the command, where its parser looks for them.
    static func moved(_ arguments: [String]) -> [String] {
        var leading: [String] = []
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            if names.contains(argument), index + 1 < arguments.count {
                leading += arguments[index...index + 1]
                index += 2
            } else if names.contains(where: { argument.hasPrefix($0 + "=") }) {
                leading.append(argument)
                index += 1
            } else {
                break
            }
        }
        guard !leading.isEmpty, index < arguments.count else { return arguments }
        // They go directly after the command and its subcommand: behind `--` they would be values.
        let command = StoreCLI.configuration.subcommands.first { $0._commandName == arguments[index] }
        if let inner = command?.configuration.subcommands, index + 1 < arguments.count,
            inner.contains(where: { $0._commandName == arguments[index + 1] })
        {
            return arguments[index...index + 1] + leading + arguments[(index + 2)...]
        }
        // With `at`, the options belong to the command that it runs, which follows the position.
        let words = command == At.self ? min(3, arguments.count - index) : 1
        return arguments[index..<index + words] + leading + arguments[(index + words)...]
    }
}
