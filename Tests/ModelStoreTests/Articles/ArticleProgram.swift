/// Swift code of an article, as one file that the compiler can check.
///
/// The file begins with the declarations that the article assumes: `Context/NAME.swift` for the article `NAME.md`. Then come the
/// types, functions, extensions and imports of the blocks, and a function for the statements of each block.
struct ArticleProgram {
    /// The article's path.
    let path: String
    /// The lines on which the blocks begin.
    private(set) var blocks: [Int] = []
    /// The modules that the context and the blocks import.
    private(set) var modules: Set<String> = []
    private let context: String
    private var importsItself = false
    private var declarations = ""
    private var functions: [(name: String, statements: String)] = []

    private init(_ article: Article) {
        path = article.path
        guard let (name, text) = article.context else {
            context = ""
            return
        }
        context = "#sourceLocation(file: \"Context/\(name)\", line: 1)\n\(text)\n"
        for line in text.split(separator: "\n") {
            if let module = CodeItem(line: 1, lines: [String(line)]).importedModule { modules.insert(module) }
        }
    }

    /// Returns the programs of an article: one, and one more for each note that begins a new program.
    static func programs(of article: Article) -> [ArticleProgram] {
        var programs = [ArticleProgram(article)]
        for block in article.blocks where block.language == "swift" && !block.isManifest {
            switch block.role {
            case .notCompiled, .unknown: continue
            case .newProgram: programs.append(ArticleProgram(article))
            case .own, .continues, .declarations: break
            }
            programs[programs.count - 1].add(block)
        }
        return programs.filter { !$0.blocks.isEmpty }
    }

    private mutating func add(_ block: CodeBlock) {
        blocks.append(block.line)
        var statements = ""
        for item in block.items {
            let text = "#sourceLocation(file: \"\(path)\", line: \(item.line))\n\(item.lines.joined(separator: "\n"))\n"
            if item.isDeclaration || block.role == .declarations {
                declarations += text
            } else {
                statements += text
            }
            if let module = item.importedModule {
                modules.insert(module)
                importsItself = true
            }
        }
        if block.role == .continues, !functions.isEmpty {
            functions[functions.count - 1].statements += statements
        } else if !statements.isEmpty {
            functions.append(("block\(block.line)", statements))
        }
    }

    /// The source of the file. `#sourceLocation` gives errors the article's path and line.
    var source: String {
        (importsItself ? "" : "import Foundation\nimport ModelStore\n") + context + declarations
            + functions.map { "func \($0.name)() async throws {\n\($0.statements)}\n" }.joined()
    }
}
