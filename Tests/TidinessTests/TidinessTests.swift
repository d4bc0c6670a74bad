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

    /// Returns the number in a rule of CONTRIBUTING.md, so that the rules and these tests are the same.
    private static func limit(_ rule: Regex<(Substring, Substring)>) throws -> Int {
        let rules = try Document("CONTRIBUTING.md").section("Rules for code").text
        return try #require(rules.firstMatch(of: rule).flatMap { Int($0.output.1) })
    }

    /// The files without generated code, which has lengths of its own.
    private static func written() throws -> [SourceTree.File] {
        try SourceTree.all().filter { !$0.path.hasSuffix(".pb.swift") }
    }

    @Test func `No Swift file is longer than the rule says`() throws {
        let limit = try Self.limit(/A file has at most (\d+) lines/)
        let long = try Self.written().filter { $0.lines.count > limit }.map { "\($0.path): \($0.lines.count)" }
        #expect(long == [])
    }

    @Test func `A folder holds at most as many Swift files as the rule says`() throws {
        let limit = try Self.limit(/a folder at most (\d+) Swift files/)
        let folders = Dictionary(grouping: try SourceTree.all(), by: \.folder).mapValues(\.count)
        #expect(folders.count > 100)
        #expect(folders.filter { $0.value > limit } == [:])
    }

    @Test func `No line is wider than the rule says, but for texts`() throws {
        let code = try Self.limit(/A line of code has at most (\d+) columns/)
        let comment = try Self.limit(/A comment has at most (\d+)/)
        #expect(try SourceTree.text(".swift-format").contains("\"lineLength\": \(code)"))
        var wide: [String] = []
        for file in try Self.written() {
            var isText = false
            for (number, line) in file.lines.enumerated() {
                let hasQuotes = line.utf8.contains(UInt8(ascii: "\""))
                defer {
                    let quotes = hasQuotes ? line.components(separatedBy: "\"\"\"").count - 1 : 0
                    if !quotes.isMultiple(of: 2) { isText.toggle() }
                }
                // A text in quotes cannot be broken, nor can a line of a longer text.
                guard line.utf8.count > code, !isText, isComment(line) || !hasQuotes else { continue }
                let limit = isComment(line) ? comment : code
                if line.count > limit { wide.append("\(file.path):\(number + 1): \(line.count) columns") }
            }
        }
        #expect(wide == [])
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

    @Test func `A pause in a test says in a comment why there is no event to wait for`() throws {
        let pause = /\b(?:usleep|nanosleep|Thread\.sleep|Task\.sleep)\(/
        for file in try SourceTree.files(below: "Tests") + SourceTree.files(below: "Tools/livepage/Tests") {
            for (number, line) in file.lines.enumerated() where !isComment(line) && line.contains(pause) {
                let before = file.lines[max(0, number - 8)..<number]
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
