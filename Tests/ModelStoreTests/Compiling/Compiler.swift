import Foundation

/// The Swift compiler, with the modules and the macro plugin of this test run's build.
enum Compiler {
    /// The directory of the test bundle.
    private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    private static let modules = products.appending(path: "Modules")
    private static let plugin = products.appending(path: "StoreMacros-tool")
    /// The modules in C that the libraries import.
    private static let moduleMaps = ["CLMDB", "CLibPQ"].map { name in
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/\(name)/module.modulemap").standardizedFileURL
    }

    private static let options =
        [
            "-swift-version", "6", "-parse-as-library", "-I", modules.path, "-load-plugin-executable",
            "\(plugin.path)#StoreMacros",
        ] + moduleMapOptions
    private static let moduleMapOptions = moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }

    /// Whether everything needed to compile a program with records is present.
    static let isAvailable: Bool = {
        ([modules, plugin] + moduleMaps).allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
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
        return try run(program, [], in: directory.path).text
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
            "swiftc", (mode.isEmpty ? ["-typecheck"] : mode) + options + ["-diagnostic-style=llvm", file]
        ).text
        return output.split(separator: "\n").compactMap { line in
            guard let mark = line.firstRange(of: ": error: ") else { return nil }
            let place = line[..<mark.lowerBound].split(separator: ":").suffix(2).map { Int($0) ?? 0 }
            return Fault(
                line: (place.first ?? 0) - imports.count - 1, column: (place.last ?? 0) - 1,
                message: String(line[mark.upperBound...]))
        }
    }

    /// Returns the errors and warnings in a file, each after the path and line that `#sourceLocation` states.
    ///
    /// A value may be unused, and code may never be executed.
    static func messages(inProgram source: String) throws -> [String] {
        try messages(source, options + traitModuleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] })
    }

    /// Returns the errors and warnings in a package's manifest, each after the path and line that `#sourceLocation` states.
    static func messages(inManifest source: String) throws -> [String] {
        let target = try run("swiftc", ["-print-target-info"]).text
        let resources = try JSONDecoder().decode(TargetInfo.self, from: Data(target.utf8)).paths.runtimeResourcePath
        return try messages(
            source, ["-package-description-version", "6.2", "-swift-version", "6", "-I", resources + "/pm/ManifestAPI"])
    }

    private struct TargetInfo: Decodable {
        struct Paths: Decodable {
            let runtimeResourcePath: String
        }

        let paths: Paths
    }

    private static func messages(_ source: String, _ options: [String]) throws -> [String] {
        let directory = try TestDirectory()
        let file = directory.path + "/Program.swift"
        // The compiler finds some errors only after type checking: missing returns, uses before initialization, data races.
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try run(
            "swiftc", ["-emit-sil", "-o", directory.path + "/out.sil", "-diagnostic-style=llvm"] + options + [file])
        let messages = outcome.text.components(separatedBy: "\n").filter { line in
            line.contains(": error: ")
                || line.contains(": warning: ") && !line.contains("[#no-usage]") && !line.contains("never be executed")
        }
        return messages.isEmpty && outcome.status != 0
            ? [outcome.text] : messages.map { $0.replacing(directory.path + "/", with: "") }
    }

    /// The module maps of the C code in the packages that traits add: generated ones, and those of the packages.
    private static let traitModuleMaps: [String] = {
        guard !PackageTraits.enabled.isEmpty else { return [] }
        let checkouts = products.appending(path: "../../checkouts").standardizedFileURL
        let targets = folders(in: checkouts).flatMap { folders(in: $0.appending(path: "Sources")) }
        // Folders of tools contain the same maps again, which would be redefinitions.
        let built = folders(in: products).filter {
            $0.pathExtension == "build" && !$0.lastPathComponent.hasSuffix("-tool.build")
        }
        let maps =
            built.map { $0.appending(path: "module.modulemap") }
            + targets.map { $0.appending(path: "include/module.modulemap") }
        return maps.map(\.path).filter { FileManager.default.fileExists(atPath: $0) }
    }()

    private static func folders(in folder: URL) -> [URL] {
        (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
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
                "-I", modules.path, "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir",
                directory.path,
            ] + moduleMapOptions
        ).text
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

    private static func run(
        _ tool: String, _ arguments: [String], in directory: String? = nil
    ) throws -> (text: String, status: Int32) {
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
        return (text, process.terminationStatus)
    }
}
