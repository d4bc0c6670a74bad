import ArgumentParser
import Foundation
import StoreEngine
import StoreRuntime

/// The options of `import` and `insert` that create a missing store.
struct CreateOptions: ParsableArguments {
    @Flag(help: "Create the store if it does not exist.") var create = false

    @Option(
        help: ArgumentHelp(
            "With --create: the schema document of a new store, or - for standard input.", valueName: "file"),
        completion: .file())
    var schema: String?

    /// Fails if there is a schema but no `--create`.
    func requireFittingOptions() throws(CommandFailure) {
        guard create || schema == nil else {
            throw CommandFailure(.usage, "--schema is for a new store; give --create too")
        }
    }

    /// Runs `body`. If there is no store, the error's remedy names `--create`.
    func suggestingCreate<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError where error.code == .noSuchStore && !create {
            throw StoreError(
                error.code, error.message, remedy: "check the path, or give --create to create the store", cause: error)
        }
    }

    /// Runs `body` on the store. With `--create`, it creates a missing store first, and removes that store if `body` fails.
    func write<T>(
        _ options: GlobalOptions, printsResult: Bool = false, _ body: (Store) throws -> T
    ) throws -> T {
        try requireFittingOptions()
        let path = try options.requireStore()
        guard create, !FileManager.default.fileExists(atPath: path + "/data.mdb") else {
            guard schema == nil else {
                throw CommandFailure(.usage, "\(path) already holds a store; --schema is for a new one")
            }
            return try suggestingCreate { try options.write(printsResult: printsResult, body) }
        }
        if printsResult { try StandardOutput.requireOpen() }
        let location = try NewStoreLocation(path)
        let types = try schema.map { file in
            try SchemaDocument.entries(
                try InputSource(file).readAll(), of: file == "-" ? "standard input" : file)
        }
        try NewStore(path).create(types ?? [])
        do {
            let result = try options.write(printsResult: printsResult, body)
            location.giveAway()
            StandardError.writeLine("created \(path)")
            return result
        } catch {
            location.remove()
            throw error
        }
    }
}
