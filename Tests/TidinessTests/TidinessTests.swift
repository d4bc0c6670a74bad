import Foundation
import Testing

/// Checks that the tree matches its description in Sources/README.md: layers, sizes, no leftovers.
@Suite("Tidiness") struct TidinessTests {
    @Test func `The top level holds the manifest, sources, tests, tools, four documents and dotfiles only`() throws {
        let allowed: Set<String> = [
            "Package.swift", "Package.resolved", "Sources", "Tests", "Tools", "README.md", "CONTRIBUTING.md",
            "CHANGELOG.md", "LICENSE",
        ]
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
        #expect(names.filter { !$0.hasPrefix(".") && !allowed.contains($0) } == [])
    }

    @Test func `No Swift file is longer than 700 lines`() throws {
        // Generated code has a length of its own.
        let files = try SourceTree.all().filter { !$0.path.hasSuffix(".pb.swift") }
        let long = files.filter { $0.lines.count > 700 }.map { "\($0.path): \($0.lines.count)" }
        #expect(long == [])
    }

    @Test func `A folder holds at most 20 Swift files`() throws {
        let folders = Dictionary(grouping: try SourceTree.all(), by: \.folder).mapValues(\.count)
        #expect(folders.count > 100)
        #expect(folders.filter { $0.value > 20 } == [:])
    }

    /// Files whose declarations have no type of their own: macros, re-exports, functions that macros call.
    private static let untyped: Set<String> = [
        "Sources/ModelStore/ComputedDefaults.swift", "Sources/ModelStore/FieldEquality.swift",
        "Sources/ModelStore/InitializerHints.swift", "Sources/ModelStore/Macros.swift",
        "Sources/ModelStore/ModelStore.swift", "Sources/ModelStoreComponents/Values/Published.swift",
        "Sources/ModelStoreTesting/ExpectReplay.swift", "Sources/ModelStoreEtcd/Calls/Messages.pb.swift",
    ]

    @Test func `A file is named after a type that it declares or extends`() throws {
        let files = try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tools")
        let keywords = "struct|class|enum|protocol|actor|extension|typealias"
        for file in files where !file.path.hasPrefix("Tools/Benchmarks/") && !Self.untyped.contains(file.path) {
            guard let name = file.baseName, !["Package", "main"].contains(name) else { continue }
            // Macro support has an underscore. In Unicode, a dot between letters is not a word boundary.
            let declaration = try Regex("\\b(\(keywords))\\s+(\\w+\\.)*_?\(name)(?!\\w)")
            #expect(file.lines.contains { $0.contains(declaration) }, "\(file.path)")
        }
    }

    /// The modules of this package that each layer may import.
    static let layers: [(folder: String, allowed: Set<String>)] = [
        ("Sources/LMDB", ["CLMDB"]),
        ("Sources/StoreEngine", ["LMDB"]),
        ("Sources/StoreRuntime", ["LMDB", "StoreEngine"]),
        ("Sources/StoreExpressions", ["StoreEngine"]),
        ("Sources/StoreMacros", []),
        ("Sources/ModelStore", ["StoreEngine", "StoreRuntime"]),
        ("Sources/ModelStoreComponents", ["ModelStore", "LMDB", "StoreEngine", "StoreRuntime"]),
        ("Sources/ModelStoreReplay", ["LMDB", "StoreEngine", "StoreRuntime", "StoreExpressions"]),
        ("Sources/ModelStoreReplication", ["LMDB", "StoreEngine", "StoreRuntime"]),
        ("Sources/ModelStoreEtcd", ["ModelStoreReplication", "StoreEngine"]),
        (
            "Sources/ModelStorePostgres",
            ["CLibPQ", "ModelStoreReplication", "LMDB", "StoreEngine", "StoreRuntime"]
        ),
        (
            "Sources/ModelStoreTesting",
            ["ModelStore", "ModelStoreReplay", "ModelStoreReplication", "StoreRuntime", "StoreEngine", "LMDB"]
        ),
        (
            "Sources/ModelStoreService",
            ["ModelStore", "ModelStoreReplication", "LMDB", "StoreEngine", "StoreRuntime"]
        ),
        ("Sources/ModelStoreCombine", ["ModelStore", "ModelStoreComponents", "LMDB", "StoreEngine", "StoreRuntime"]),
        ("Sources/ModelStoreEvents", ["ModelStore", "StoreEngine", "StoreRuntime"]),
        (
            "Tools/store-cli",
            [
                "LMDB", "StoreEngine", "StoreRuntime", "StoreExpressions", "ModelStoreReplay", "ModelStoreReplication",
                "LogArguments", "StoreCommands",
            ]
        ),
        ("Tools/log-arguments", ["ModelStoreReplication", "ModelStoreEtcd", "ModelStorePostgres"]),
        ("Tools/hostwatch", ["ModelStore", "ModelStoreReplay", "ModelStoreReplication", "LogArguments", "Hostwatch"]),
        (
            "Tools/livepage",
            ["ModelStore", "ModelStoreComponents", "ModelStoreEvents", "ModelStoreService", "Livepage"]
        ),
    ]

    @Test(arguments: layers.map(\.folder)) func `Arrows point from a layer to its users only`(folder: String) throws {
        let modules: Set<String> = [
            "CLMDB", "LMDB", "StoreEngine", "StoreRuntime", "StoreExpressions", "ModelStoreReplay", "StoreMacros",
            "ModelStore", "ModelStoreComponents", "ModelStoreReplication", "ModelStoreEtcd", "ModelStorePostgres",
            "CLibPQ", "ModelStoreTesting", "ModelStoreService", "ModelStoreCombine", "ModelStoreEvents",
            "StoreCommands", "LogArguments",
            "Hostwatch", "Livepage",
        ]
        let allowed = try #require(Self.layers.first { $0.folder == folder }).allowed
        let files = try SourceTree.files(below: folder)
        #expect(!files.isEmpty)
        for file in files {
            let wrong = file.imports.filter { modules.contains($0) && !allowed.contains($0) }
            #expect(wrong == [], "\(file.path)")
        }
    }

    /// The modules that each trait of the package adds.
    static let traits: [String: Set<String>] = [
        "ServiceLifecycle": ["ServiceLifecycle"], "Logging": ["Logging"], "Metrics": ["Metrics", "CoreMetrics"],
        "OpenCombine": ["OpenCombine"], "ServerSentEvents": ["NIOCore"],
        "Postgres": ["CLibPQ"],
        "Etcd": ["GRPCCore", "SwiftProtobuf", "NIOCore", "NIOHPACK", "NIOHTTP2", "NIOPosix", "NIOSSL"],
    ]

    /// The targets that are adapters.
    static let adapters = [
        "ModelStoreService", "ModelStoreCombine", "ModelStoreEvents", "ModelStoreEtcd", "ModelStorePostgres",
    ]

    @Test func `What a trait brings is used in adapters alone, in files that are empty without it`() throws {
        let modules = Self.traits.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        // Separate packages, which declare these dependencies themselves.
        let ownPackages = ["Tools/Benchmarks/", "Tools/livepage/"]
        let files = try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tools")
        for file in files where !ownPackages.contains(where: file.path.hasPrefix) {
            let used = modules.intersection(file.imports)
            guard Self.adapters.contains(where: { file.path.hasPrefix("Sources/\($0)/") }) else {
                #expect(used == [], "\(file.path)")
                continue
            }
            // Generated code begins with comments for tools.
            let first = file.lines.first { !$0.hasPrefix("//") } ?? ""
            let enabled = first.split(separator: " ").compactMap { Self.traits[String($0)] }
            #expect(used.isSubset(of: enabled.reduce([]) { $0.union($1) }), "\(file.path)")
            #expect(first.hasPrefix("#if ") && file.lines.suffix(2) == ["#endif", ""], "\(file.path)")
        }
    }

    @Test func `The engine has no concurrency, clock or randomness of its own`() throws {
        let forbidden = [
            " async ", "await ", "Task {", " Date()", "(Date()", "Date.now", ".random(in", "UUID()", "ContinuousClock",
        ]
        for file in try SourceTree.files(below: "Sources/StoreEngine") {
            var forbiddenImports: Set = ["Synchronization", "Dispatch", "Observation"]
            // The decoded record is a cache that the first reader sets: no thread waits, and the value is always the same.
            if file.path.hasSuffix("Live/Rows/RecordContent.swift") { forbiddenImports.remove("Synchronization") }
            #expect(forbiddenImports.isDisjoint(with: file.imports), "\(file.path)")
            for (number, line) in file.lines.enumerated() where !isComment(line) {
                for word in forbidden where line.contains(word) {
                    Issue.record("\(file.path):\(number + 1) uses \(word)")
                }
            }
        }
    }

    @Test func `Each planted fault still has its place in the sources, and its tests`() throws {
        let check = Process()
        check.executableURL = SourceTree.root.appending(path: "Tools/mutants/run")
        check.arguments = ["--check"]
        let output = Pipe()
        check.standardOutput = output
        check.standardError = output
        try check.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        check.waitUntilExit()
        #expect(check.terminationStatus == 0, "\(text)")
    }

    @Test func `No leftovers stay in the code`() throws {
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK", "not " + "implemented", "unimple" + "mented"]
        for file in try SourceTree.all() {
            for (number, line) in file.lines.enumerated() {
                for mark in marks where line.contains(mark) { Issue.record("\(file.path):\(number + 1) says \(mark)") }
            }
            #expect(!file.path.hasSuffix("Placeholder.swift"), "\(file.path)")
        }
    }

    @Test func `An error's message and remedy end without a full stop, and a remedy begins in lower case`() throws {
        let files = try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tools")
        var seen = 0
        for file in files where !file.path.hasPrefix("Tools/Benchmarks/") {
            for call in ErrorTexts.calls(in: file.lines.joined(separator: "\n")) {
                seen += 1
                for text in call.texts where text.hasSuffix(".") {
                    Issue.record("\(file.path):\(call.line) \(text)")
                }
                for remedy in call.remedies where remedy.first?.isUppercase == true {
                    Issue.record("\(file.path):\(call.line) \(remedy)")
                }
            }
            for (number, line) in file.lines.enumerated() where line.contains("\\(error.localizedDescription)") {
                Issue.record("\(file.path):\(number + 1) puts a system's sentence, full stop and all, into a message")
            }
        }
        #expect(seen > 250)
    }

    @Test func `Each exception from the compiler's checks says why it is safe`() throws {
        let exceptions = ["@unchecked Sendable", "nonisolated(unsafe)", "try!", " as! "]
        for file in try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tools") {
            for (number, line) in file.lines.enumerated() where !isComment(line) {
                guard exceptions.contains(where: line.contains) else { continue }
                let before = file.lines[max(0, number - 3)..<number]
                #expect(before.contains(where: isComment), "\(file.path):\(number + 1) has no comment above it")
            }
        }
    }

    @Test func `Public declarations of the library are documented`() throws {
        let libraries = [
            "StoreEngine", "StoreRuntime", "ModelStore", "ModelStoreComponents", "ModelStoreReplay",
            "ModelStoreTesting",
        ]
        for folder in libraries + Self.adapters {
            for file in try SourceTree.files(below: "Sources/" + folder) {
                for (number, line) in file.lines.enumerated() where declaresPublic(line) {
                    let isInherited = Self.inherited.contains { line.contains($0) }
                    #expect(
                        isInherited || hasDocumentation(file.lines, above: number),
                        "\(file.path):\(number + 1) \(line.trimmingCharacters(in: .whitespaces))")
                }
            }
        }
    }

    /// Witnesses and overrides, which are documented in their protocol or superclass.
    private static let inherited = [
        "static var fieldType", "static var fixedByteCount", "static var absentValue", "func encode(to", "init(from ",
        "func encodeKey(to", "var description", "var _reading", "func next()", "static func ==", "func hash(into",
        "public func validate()", "public func run()", "func visit(_ slots", "static let configuration",
    ]

    private func isComment(_ line: String) -> Bool { line.trimmingCharacters(in: .whitespaces).hasPrefix("//") }

    private func declaresPublic(_ line: String) -> Bool {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.hasPrefix("//"), !text.contains("import "), !text.hasPrefix("public extension") else {
            return false
        }
        let words = text.split(separator: " ")
        let kinds: Set<Substring> = [
            "func", "var", "let", "struct", "class", "enum", "protocol", "init", "case", "macro",
        ]
        guard let place = words.firstIndex(of: "public") else { return false }
        return words[place...].contains { kinds.contains($0) || $0.hasPrefix("init") || $0.hasPrefix("subscript") }
    }

    private func hasDocumentation(_ lines: [String], above number: Int) -> Bool {
        var index = number - 1
        while index >= 0 {
            let text = lines[index].trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("///") { return true }
            guard
                text.hasPrefix("@") || text.hasPrefix(")") || text.hasSuffix(",") || text.hasPrefix("extension, ")
                    || text.hasPrefix("named(") || text.hasPrefix("names:")
            else {
                return false
            }
            index -= 1
        }
        return false
    }
}
