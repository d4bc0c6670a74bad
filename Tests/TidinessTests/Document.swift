import Foundation

/// A Markdown document, whose statements the tests compare with the code.
struct Document {
    /// A table with its header and its rows.
    struct Table {
        let header: [String]
        let rows: [[String]]
    }

    /// The path relative to the project's folder.
    let path: String
    let lines: [String]

    init(_ path: String) throws {
        self.path = path
        lines = try SourceTree.text(path).components(separatedBy: "\n")
    }

    private init(path: String, lines: [String]) {
        self.path = path
        self.lines = lines
    }

    /// An article of the documentation.
    static func article(_ name: String) throws -> Document {
        try Document("Sources/ModelStore/ModelStore.docc/\(name).md")
    }

    /// The lines as one text, in which line breaks are spaces.
    var text: String { lines.joined(separator: " ") }

    /// Returns the part below a heading, up to the next heading of its level or of a higher one. Empty if there is no such
    /// heading.
    func section(_ heading: String) -> Document {
        guard let start = lines.firstIndex(where: { $0.hasPrefix("#") && $0.hasSuffix("# \(heading)") }) else {
            return Document(path: path, lines: [])
        }
        let level = lines[start].prefix { $0 == "#" }.count
        var isCode = false
        var part: [String] = []
        for line in lines[(start + 1)...] {
            if line.hasPrefix("```") { isCode.toggle() }
            if !isCode, line.hasPrefix("#"), line.prefix(while: { $0 == "#" }).count <= level { break }
            part.append(line)
        }
        return Document(path: path, lines: part)
    }

    /// The tables.
    var tables: [Table] {
        var tables: [Table] = []
        for block in lines.split(whereSeparator: { !$0.hasPrefix("|") }) where block.count > 2 {
            let rows = block.map { line in
                line.dropFirst().dropLast().components(separatedBy: " |").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
            }
            tables.append(Table(header: rows[0], rows: Array(rows.dropFirst(2))))
        }
        return tables
    }

    /// Returns the first table whose header begins with a text.
    func table(_ header: String) -> Table {
        tables.first { $0.header.first?.hasPrefix(header) == true } ?? Table(header: [], rows: [])
    }

    /// The lines of the code blocks.
    var codeLines: [String] {
        var isCode = false
        return lines.filter { line in
            defer { if line.hasPrefix("```") { isCode.toggle() } }
            return isCode && !line.hasPrefix("```")
        }
    }

    /// The words in backticks outside code blocks, with their line numbers counted from 1.
    var codeWords: [(line: Int, word: String)] {
        var isCode = false
        var words: [(line: Int, word: String)] = []
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") { isCode.toggle() }
            if !isCode { words += Self.codeWords(in: line).map { (index + 1, $0) } }
        }
        return words
    }

    /// Returns the words in backticks of a line.
    static func codeWords(in line: String) -> [String] {
        line.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
}
