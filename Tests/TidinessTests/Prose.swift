import Foundation

/// A paragraph of an article, or a comment.
struct Prose {
    /// The file and the number of the first line.
    let location: String
    let isArticle: Bool
    /// The text, in which `X` stands for everything in code font.
    let text: String

    var wordCount: Int { text.split(separator: " ").count }

    /// The sentences of at least three words.
    var sentences: [String] {
        Self.sentenceEnd.stringByReplacingMatches(in: text, range: Self.range(of: text), withTemplate: "\n")
            .split(separator: "\n").map(String.init).filter { $0.split(separator: " ").count >= 3 }
    }

    /// The forms that a reader has to decode, with some words around each.
    var oddForms: [String] {
        Self.odd.matches(in: text, range: Self.range(of: text)).compactMap { match in
            guard let range = Range(match.range, in: text) else { return nil }
            let start = text.index(range.lowerBound, offsetBy: -25, limitedBy: text.startIndex) ?? text.startIndex
            let end = text.index(range.upperBound, offsetBy: 25, limitedBy: text.endIndex) ?? text.endIndex
            return "\(location): …\(text[start..<end])…"
        }
    }

    private init(_ lines: [String], _ location: String, isArticle: Bool) {
        let joined = lines.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        text = Self.code.stringByReplacingMatches(in: joined, range: Self.range(of: joined), withTemplate: "X")
        self.location = location
        self.isArticle = isArticle
    }

    private static func range(of text: String) -> NSRange { NSRange(text.startIndex..., in: text) }

    private static let code = expression("``?[^`]*``?")
    private static let sentenceEnd = expression(#"(?<=[.!?])\s+(?=[A-Z])"#)

    /// Subjects without a name, clauses that stand for nouns, and inverted orders.
    private static let odd = expression(
        [
            #"\b[Ww]hoever\b|\b[Ss]omebody\b|\b[Nn]obody\b"#,
            #"\b(?:is|are|was|were|be|being) told\b|\btells? of\b"#,
            #"\bone's\b|(?:^|(?<=[.;:] ))One (?:reads|writes|asks|has|can|may|gets|sees)\b"#,
            #"\banew\b|\bsuch a one\b|\bone of both\b|\banother one\b|\bso many and some more\b|\bperhaps none\b"#,
            #"(?:^|(?<=[.;:] ))(?:Who|What|Of) (?!is\b|are\b|does\b|do\b|happens?\b|can\b)[a-z]+\b"#,
            #"\bwho (?:asks?|reads?|writes?|uses?|waits?|follows?|opens?|has|have|is|are|keeps?|came|made|begins?)\b"#,
            #"\b(?:of|with|by|in|from|for|to|than|as|at|on|and|or|but) what (?!is wrong|happens|to do)"#,
            #"\bwhat (?:is|was|are|were|has|have|had|it|they|that|there|he|came|comes|lies|stands|follows|changed) (?!wrong)"#,
            #"\bmade to be\b|\bso that such\b|\bin which case of which\b|\bmuch or little\b"#,
        ].joined(separator: "|"))

    private static func expression(_ pattern: String) -> NSRegularExpression {
        guard let expression = try? NSRegularExpression(pattern: pattern, options: .anchorsMatchLines) else {
            preconditionFailure("\(pattern) is not a regular expression")
        }
        return expression
    }
}

extension Prose {
    /// Returns the paragraphs, list items and table rows of an article, without its code blocks and headings.
    static func ofArticle(_ path: String, _ text: String) -> [Prose] {
        var collector = Collector(path: path, isArticle: true)
        var isCode = false
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("```") {
                isCode.toggle()
                collector.end()
            } else if isCode || line.isEmpty || ["#", "<!--", "- ``", "@"].contains(where: line.hasPrefix) {
                collector.end()
            } else {
                let item = line.replacing(#/^(?:[-*]|\d+\.) /#, with: "")
                if line.hasPrefix("|") || item != line { collector.end() }
                // Each cell of a table stands alone.
                let cells = line.hasPrefix("|") ? item.components(separatedBy: "|") : [item]
                for cell in cells {
                    if cells.count > 1 { collector.end() }
                    collector.add(cell, number)
                }
            }
        }
        return collector.finish()
    }

    /// Returns the comments of a Swift file, without the code blocks in them.
    static func ofComments(_ file: SourceTree.File) -> [Prose] {
        var collector = Collector(path: file.path, isArticle: false)
        var isCode = false
        for (number, line) in file.lines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard line.hasPrefix("//") else {
                isCode = false
                collector.end()
                continue
            }
            let text = line.drop { $0 == "/" }.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("```") { isCode.toggle() }
            if isCode || text.isEmpty || text.hasPrefix("```") {
                collector.end()
            } else {
                if text.hasPrefix("- ") { collector.end() }
                collector.add(text, number)
            }
        }
        return collector.finish()
    }

    private struct Collector {
        let path: String
        let isArticle: Bool
        private var lines: [String] = []
        private var start = 0
        private var found: [Prose] = []

        init(path: String, isArticle: Bool) {
            self.path = path
            self.isArticle = isArticle
        }

        mutating func add(_ line: String, _ number: Int) {
            if lines.isEmpty { start = number + 1 }
            lines.append(line)
        }

        mutating func end() {
            if !lines.isEmpty { found.append(Prose(lines, "\(path):\(start)", isArticle: isArticle)) }
            lines = []
        }

        mutating func finish() -> [Prose] {
            end()
            return found
        }
    }
}
