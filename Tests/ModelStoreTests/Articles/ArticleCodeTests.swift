import Foundation
import Testing

/// Compiles the Swift code of the articles and READMEs from these files. ``CodeBlock`` documents the rules.
@Suite("Code of the articles", .serialized, .timeLimit(.minutes(5)), .enabled(if: Compiler.isAvailable))
struct ArticleCodeTests {
    /// The articles whose programs import packages that only traits add. `Tools/test --traits` compiles them.
    private static let behindTraits: Set = ["Combine", "ServerSentEvents", "Services", "SeveralMachines"]

    @Test(arguments: Article.paths) func `the code of an article compiles without a warning`(path: String) throws {
        let article = try Article(path)
        for block in article.blocks where block.language == "swift" && block.isManifest {
            let messages = try Compiler.messages(inManifest: ManifestCode(block, path: path).source)
            for message in messages { Issue.record("\(message)") }
        }
        for program in ArticleProgram.programs(of: article) {
            let missing = PackageTraits.missing(for: program.modules)
            if missing.isEmpty {
                for message in try Compiler.messages(inProgram: program.source) { Issue.record("\(message)") }
            } else {
                let blocks = program.blocks.map(String.init).joined(separator: ", ")
                print("\(path): not compiled without \(missing.joined(separator: ", ")): the code at \(blocks)")
                #expect(Self.behindTraits.contains(article.name), "\(path) needs \(missing)")
            }
        }
    }

    @Test func `at most three blocks are left out, each for a reason, and every note is one that exists`() throws {
        var leftOut: [String] = []
        for path in Article.paths {
            for block in try Article(path).blocks {
                #expect(block.language == "swift" || !block.language.lowercased().hasPrefix("swift"))
                switch block.role {
                case .notCompiled(let reason): leftOut.append("\(path):\(block.line): \(reason)")
                case .unknown(let note): Issue.record("\(path):\(block.line): there is no note \"\(note)\"")
                case .own, .continues, .declarations, .newProgram: break
                }
            }
        }
        #expect(leftOut.count <= 3, "\(leftOut)")
    }

    @Test func `every context belongs to an article`() throws {
        let articles = try Article.paths.map(Article.init(_:))
        #expect(articles.count > 15)
        let names = try Article.contextNames()
        #expect(names.subtracting(articles.compactMap { $0.context?.name }) == [], "these articles do not exist")
    }

    // MARK: The rules

    private static func messages(in text: String) throws -> [String] {
        try ArticleProgram.programs(of: Article("Sample.md", text: text)).flatMap { program in
            try Compiler.messages(inProgram: program.source)
        }
    }

    @Test func `an error and a warning name the article and the line`() throws {
        let errors = try Self.messages(
            in: """
                # Sample

                ```swift
                @Record
                struct Sensor {
                    @ID var id: Int
                    var celsius: Celsius
                }

                let one = 1
                print(one, missing)
                ```

                1. In a list:

                   ```swift
                   struct Wrong: Missing {}
                   ```
                """)
        #expect(errors.contains("Sample.md:7:18: error: cannot find type 'Celsius' in scope"))
        #expect(errors.contains("Sample.md:11:12: error: cannot find 'missing' in scope"))
        #expect(errors.contains("Sample.md:17:15: error: cannot find type 'Missing' in scope"))
        let warnings = try Self.messages(in: "```swift\nlet note: String? = nil\nprint(note)\n```\n")
        #expect(warnings == ["Sample.md:3:7: warning: expression implicitly coerced from 'String?' to 'Any'"])
    }

    @Test func `errors that the compiler finds after type checking are found too`() throws {
        let errors = try Self.messages(
            in: """
                ```swift
                func celsius() -> Double {
                    let celsius = 1.0
                    print(celsius)
                }
                ```
                """)
        #expect(errors.count == 1 && errors[0].hasPrefix("Sample.md:5:1: error: missing return"), "\(errors)")
    }

    @Test func `a block may mix types and statements, leave code out, and continue the block before`() throws {
        let text = """
            ```swift
            let store = try Store.temporary(records: Sensor.self)   // … is left alone in comments

            @Record("Probe")
            struct Sensor { @ID var id: Int }

            func warm(_ sensor: Sensor) -> Double { … }
            ```

            Then:

            <!-- code: continues -->
            ```swift
            for await change in try store.model(Sensor.self, id: 1).changes { … }
            print("… stays", warm(Sensor(id: 2)))
            ```
            """
        let none = try Self.messages(in: text)
        #expect(none == [])
        let alone = text.replacing("<!-- code: continues -->\n", with: "")
        let messages = try Self.messages(in: alone)
        #expect(messages.first == "Sample.md:13:25: error: cannot find 'store' in scope")
    }

    @Test func `a new program sees neither types nor constants of the blocks before`() throws {
        let text = """
            <!-- code: declarations -->
            ```swift
            let room = "attic"
            ```

            ```swift
            struct Sensor { let name = room }
            ```

            <!-- code: new program -->
            ```swift
            struct Sensor { let name = "hall" }
            ```

            <!-- code: not compiled, because it shows a mistake -->
            ```swift
            let wrong: Int = "hall"
            ```
            """
        let none = try Self.messages(in: text)
        #expect(none == [])
        let together = try Self.messages(in: text.replacing("<!-- code: new program -->\n", with: ""))
        #expect(together.contains("Sample.md:11:8: error: invalid redeclaration of 'Sensor'"), "\(together)")
    }

    @Test(arguments: [
        ".package(path: \"..\", wrong: 1)", "dependencies: [\n    .package(path: \"..\", wrong: 1),\n]",
        "import PackageDescription\n\nlet package = Package(wrong: 1)",
    ])
    func `an error in a manifest names its line`(code: String) throws {
        let article = Article("Sample.md", text: "\n```swift\n" + code + "\n```\n")
        let block = try #require(article.blocks.first { $0.isManifest })
        let messages = try Compiler.messages(inManifest: ManifestCode(block, path: article.path).source)
        let line = 3 + (code.components(separatedBy: "\n").firstIndex { $0.contains("wrong") } ?? 0)
        #expect(!messages.isEmpty && messages.allSatisfy { $0.hasPrefix("Sample.md:\(line):") }, "\(messages)")
    }
}
