/// A declaration or statement at the outermost level of a code block.
struct CodeItem {
    /// The line of the article on which the item begins.
    let line: Int
    var lines: [String]

    /// Whether the item has only comments and attributes so far, which belong to the next line.
    var isIncomplete: Bool { keyword == nil }

    /// Whether the item belongs at file level: a type, a function, an extension or an import.
    ///
    /// Variables and constants belong in a function, as the statements do.
    var isDeclaration: Bool {
        let keywords: Set = [
            "actor", "class", "enum", "extension", "func", "import", "protocol", "struct", "typealias",
        ]
        return keyword.map(keywords.contains) ?? false
    }

    /// The module that the item imports.
    var importedModule: String? {
        guard keyword == "import" else { return nil }
        let words = lines.joined(separator: " ").split(separator: " ")
        guard let place = words.firstIndex(of: "import") else { return nil }
        // An import of one declaration names its kind first.
        let kinds: Set<Substring> = ["class", "enum", "func", "let", "protocol", "struct", "typealias", "var"]
        let name = words[(place + 1)...].first { !kinds.contains($0) }
        return name?.split(separator: ".").first.map(String.init)
    }

    /// The first word after attributes and modifiers; nil if there is none.
    private var keyword: String? {
        let modifiers: Set = [
            "fileprivate", "final", "indirect", "internal", "nonisolated", "package", "private", "public", "static",
        ]
        var rest = lines.filter { !$0.trimmingPrefix(" ").hasPrefix("//") }.joined(separator: "\n")[...]
        while true {
            rest = rest.drop(while: \.isWhitespace)
            if rest.isEmpty { return nil }
            if rest.first == "@" {
                rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || "_.".contains($0) }
                if rest.first == "(" { rest = SwiftText.afterParentheses(rest) }
                continue
            }
            let word = String(rest.prefix { $0.isLetter })
            guard modifiers.contains(word) else { return word }
            rest = rest.dropFirst(word.count)
        }
    }
}
