import Foundation

/// The Swift compiler, with the modules and the macro plugin of this test run's build.
enum Compiler {
    /// The directory of the test bundle.
    private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    private static let modules = products.appending(path: "Modules")
    private static let plugin = products.appending(path: "StoreMacros-tool")
    private static let moduleMap = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/CLMDB/module.modulemap").standardizedFileURL

    /// Whether everything needed to compile a program with records is present.
    static let isAvailable: Bool = {
        [modules, plugin, moduleMap].allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
            && (try? run("swiftc", ["--version"])) != nil
    }()

    /// Returns the compiler's error messages for a file that imports ModelStore; empty if it compiles.
    ///
    /// - Parameter solverScopes: The maximum number of type checker steps for one expression; nil for no limit.
    static func errors(in source: String, solverScopes: Int? = nil) throws -> [String] {
        try faults(in: source, solverScopes: solverScopes).map(\.message)
    }

    /// Returns the same errors with their locations.
    static func faults(in source: String, solverScopes: Int? = nil) throws -> [Fault] {
        let directory = try TestDirectory()
        let limit = solverScopes.map { ["-typecheck", "-Xfrontend", "-solver-scope-threshold=\($0)"] }
        return try faults(in: source, directory, limit ?? [])
    }

    /// An error and its location. Lines and columns count from 0.
    struct Fault {
        let line: Int
        let column: Int
        let message: String
    }

    /// Returns the errors in a file that imports ModelStore, including lifetime errors, which the compiler finds after type
    /// checking.
    static func errorsOfLifetimes(in source: String) throws -> [String] {
        let directory = try TestDirectory()
        return try errors(in: source, directory, ["-emit-sil", "-o", directory.path + "/out.sil"])
    }

    /// Returns the errors in a file that imports a module with the given source. That source must compile.
    static func errors(in source: String, importing library: String) throws -> [String] {
        let directory = try TestDirectory()
        let errors = try errors(
            in: library, directory,
            ["-emit-module", "-module-name", "Library", "-emit-module-path", directory.path + "/Library.swiftmodule"])
        guard errors.isEmpty else { return errors }
        return try self.errors(in: "import Library\n" + source, directory, ["-typecheck", "-I", directory.path])
    }

    /// Compiles and links a whole program, and runs it in an empty directory.
    ///
    /// - Returns: the program's output and error output.
    /// - Throws: ``Failed`` with the compiler's errors if the program does not compile or link.
    static func output(ofProgram source: String) throws -> String {
        let directory = try TestDirectory()
        let program = directory.path + "/program"
        var mode = ["-module-name", "Program", "-o", program, "@" + (try objectList(in: directory)), "-llmdb"]
        // Objects that were compiled for a sanitizer need its runtime library.
        if let sanitizer = ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] {
            mode.append("-sanitize=\(sanitizer)")
        }
        let errors = try faults(in: source, directory, mode, imports: []).map(\.message)
        guard errors.isEmpty else { throw Failed(output: errors.joined(separator: "\n")) }
        return try run(program, [], in: directory.path)
    }

    /// Writes a list of the library's objects, as an argument file, and returns its path.
    ///
    /// A module's folder may hold objects of deleted sources. The list with which the build links another program has none.
    private static func objectList(in directory: TestDirectory) throws -> String {
        let linked = products.appending(path: "VersionWorker.product/Objects.LinkFileList")
        let own = "/VersionWorker.build/"
        let objects = try String(contentsOf: linked, encoding: .utf8).split(separator: "\n")
            .filter { !$0.contains(own) }
        let path = directory.path + "/objects"
        try objects.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func errors(in source: String, _ directory: TestDirectory, _ mode: [String]) throws -> [String] {
        try faults(in: source, directory, mode).map(\.message)
    }

    private static func faults(
        in source: String, _ directory: TestDirectory, _ mode: [String],
        imports: [String] = ["Foundation", "ModelStore"]
    ) throws -> [Fault] {
        let file = directory.path + "/\(UUID()).swift"
        let head = imports.map { "import \($0)\n" }.joined()
        try (head + source).write(toFile: file, atomically: true, encoding: .utf8)
        let output = try run(
            "swiftc",
            (mode.isEmpty ? ["-typecheck"] : mode) + [
                "-swift-version", "6", "-parse-as-library", "-diagnostic-style=llvm", "-I", modules.path,
                "-Xcc", "-fmodule-map-file=\(moduleMap.path)",
                "-load-plugin-executable", "\(plugin.path)#StoreMacros", file,
            ])
        return output.split(separator: "\n").compactMap { line in
            guard let mark = line.firstRange(of: ": error: ") else { return nil }
            let place = line[..<mark.lowerBound].split(separator: ":").suffix(2).map { Int($0) ?? 0 }
            return Fault(
                line: (place.first ?? 0) - imports.count - 1, column: (place.last ?? 0) - 1,
                message: String(line[mark.upperBound...]))
        }
    }

    /// A declaration in a symbol graph.
    private struct Symbol: Decodable {
        struct Fragment: Decodable {
            let spelling: String
        }

        let pathComponents: [String]
        let declarationFragments: [Fragment]?
    }

    private struct SymbolGraph: Decodable {
        let symbols: [Symbol]
    }

    /// Returns the public declarations of a module and of its extensions of other modules, sorted, one per line.
    static func publicInterface(of module: String) throws -> [String] {
        let directory = try TestDirectory()
        #if arch(x86_64)
        let architecture = "x86_64"
        #else
        let architecture = "aarch64"
        #endif
        let output = try run(
            "swift",
            [
                "symbolgraph-extract", "-module-name", module, "-target", "\(architecture)-unknown-linux-gnu",
                "-I", modules.path, "-Xcc", "-fmodule-map-file=\(moduleMap.path)", "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", directory.path,
            ])
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".symbols.json") }
        guard !files.isEmpty else { throw Failed(output: output) }
        return try files.flatMap { file in
            let data = try Data(contentsOf: URL(filePath: directory.path + "/" + file))
            return try JSONDecoder().decode(SymbolGraph.self, from: data).symbols.map { symbol in
                let text = (symbol.declarationFragments ?? []).map(\.spelling).joined()
                let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                return "\(symbol.pathComponents.joined(separator: ".")): \(words)"
            }
        }
        .sorted()
    }

    private struct Failed: Error {
        let output: String
    }

    private static func run(_ tool: String, _ arguments: [String], in directory: String? = nil) throws -> String {
        let process = Process()
        if let directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
