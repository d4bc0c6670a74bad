/// A fenced block of code in an article.
///
/// The test of an article compiles its Swift blocks as one file:
///
/// - Types, functions, extensions and imports at column 0 are at file level.
/// - Other lines are statements. Each block has a function of its own for them, which is `async` and `throws`.
/// - `…` in the code stands for code that the reader adds. It compiles as `fatalError()`.
/// - Without an import in a block, the file imports Foundation and ModelStore.
/// - `Context/NAME.swift` declares what the article `NAME.md` assumes.
/// - A block that begins with a part of a package's manifest is a file of its own: see ``ManifestCode``.
///
/// A comment directly before a block changes this for the block. DocC does not show the comment:
///
/// - `<!-- code: continues -->`: The statements continue the function of the block before, and see its constants.
/// - `<!-- code: declarations -->`: Constants are at file level too, so all blocks see them.
/// - `<!-- code: new program -->`: A new file begins. It does not see the blocks before.
/// - `<!-- code: not compiled, because … -->`: The block is left out, for the given reason.
struct CodeBlock {
    let language: String
    /// The line of the article on which the code begins, counted from 1.
    let line: Int
    /// The spaces before the fence, as in a block that belongs to a list.
    let indentation: Int
    /// The text of the comment before the block.
    let note: String?
    private(set) var lines: [String] = []

    init(language: String, line: Int, indentation: Int = 0, note: String? = nil) {
        self.language = language
        self.line = line
        self.indentation = indentation
        self.note = note
    }

    mutating func append(_ line: String) {
        lines.append(String(line.dropFirst(min(indentation, line.prefix { $0 == " " }.count))))
    }

    /// How a block is compiled.
    enum Role: Equatable {
        case own
        case continues
        case declarations
        case newProgram
        case notCompiled(reason: String)
        case unknown(String)
    }

    var role: Role {
        switch note {
        case nil: return .own
        case "continues"?: return .continues
        case "declarations"?: return .declarations
        case "new program"?: return .newProgram
        case let text?:
            let words = "not compiled, because "
            return text.hasPrefix(words) && text.count > words.count
                ? .notCompiled(reason: String(text.dropFirst(words.count))) : .unknown(text)
        }
    }

    /// Whether the code belongs to a package's manifest.
    var isManifest: Bool {
        let begins = [".package(", ".product(", "dependencies:", "targets:", "import PackageDescription"]
        let first = lines.first { !$0.isEmpty && !$0.hasPrefix("//") }
        return first.map { line in begins.contains(where: line.hasPrefix) } ?? false
    }

    /// The declarations and statements at column 0, each with its indented and closing lines.
    var items: [CodeItem] {
        var items: [CodeItem] = []
        for (index, line) in SwiftText.withoutEllipses(lines).enumerated() {
            let begins = line.first.map { !" })].".contains($0) } ?? false
            if !items.isEmpty, !begins || items[items.count - 1].isIncomplete {
                items[items.count - 1].lines.append(line)
            } else {
                items.append(CodeItem(line: self.line + index, lines: [line]))
            }
        }
        return items
    }
}
