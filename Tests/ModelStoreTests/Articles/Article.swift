import Foundation

/// A Markdown file of the project, with its code blocks.
struct Article {
    /// The path relative to the project's folder.
    let path: String
    let blocks: [CodeBlock]

    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// The paths of all Markdown files: the articles, the READMEs, and those for contributors.
    static let paths: [String] = {
        let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        var paths = Set(top.filter { $0.hasSuffix(".md") })
        for folder in ["Sources", "Tests", "Tools"] {
            let base = root.appending(path: folder).path
            guard let walk = FileManager.default.enumerator(atPath: base) else { continue }
            for case let path as String in walk {
                if path.split(separator: "/").last?.hasPrefix(".") == true {
                    walk.skipDescendants()
                } else if path.hasSuffix(".md") {
                    paths.insert(folder + "/" + path)
                }
            }
        }
        return paths.sorted()
    }()

    /// Reads an article.
    init(_ path: String) throws {
        self.init(path, text: try String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
    }

    /// Finds the blocks of a text.
    init(_ path: String, text: String) {
        self.path = path
        var blocks: [CodeBlock] = []
        var note: String?
        var open: CodeBlock?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let words = line.trimmingCharacters(in: .whitespaces)
            if let block = open {
                if words == "```" {
                    blocks.append(block)
                    open = nil
                } else {
                    open?.append(line)
                }
            } else if words.hasPrefix("```") {
                let indentation = line.prefix { $0 == " " }.count
                open = CodeBlock(
                    language: String(words.dropFirst(3)), line: index + 2, indentation: indentation, note: note)
                note = nil
            } else if !words.isEmpty {
                // A note counts only directly before its block.
                note = Self.note(in: words)
            }
        }
        self.blocks = blocks + (open.map { [$0] } ?? [])
    }

    private static func note(in line: String) -> String? {
        guard line.hasPrefix("<!-- code: "), line.hasSuffix(" -->") else { return nil }
        return String(line.dropFirst("<!-- code: ".count).dropLast(" -->".count))
    }

    /// The file's name without its extension. READMEs of different folders have one name.
    var name: String { String(path.split(separator: "/").last?.split(separator: ".").first ?? "") }

    /// The declarations that the article's code assumes; nil if there are none.
    var context: (name: String, text: String)? {
        let name = name + ".swift"
        let text = try? String(contentsOf: Self.contexts.appending(path: name), encoding: .utf8)
        return text.map { (name, $0) }
    }

    private static let contexts = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Context")

    /// Returns the names of the files with such declarations.
    static func contextNames() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: contexts.path))
    }
}
