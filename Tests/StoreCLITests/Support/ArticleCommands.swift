import Foundation

/// The commands of `store-cli` in a Markdown text, and its options that the text mentions.
struct ArticleCommands {
    /// The arguments of a command, and the line on which it begins.
    struct Use {
        let line: Int
        let words: [String]
        /// Whether the text means the command to be entered as it is: in a block of code, without placeholders.
        var isWhole = false
    }

    /// Commands, in blocks of code and in code within sentences.
    private(set) var commands: [Use] = []
    /// Options with their values, as a sentence mentions them.
    private(set) var options: [Use] = []

    /// - Parameter names: the names of the commands.
    init(_ text: String, names: [String]) {
        let lines = text.components(separatedBy: "\n")
        var language: String?
        var index = 0
        while index < lines.count {
            let line = lines[index].trimmingCharacters(in: .whitespaces)
            let number = index + 1
            index += 1
            if line.hasPrefix("```") {
                language = language == nil ? String(line.dropFirst(3)) : nil
            } else if let language {
                guard !["swift", "js", "json"].contains(language), Self.arguments(of: line) != nil else { continue }
                // A command can take several lines.
                var command = line
                while Self.arguments(of: command)?.isOpen == true, index < lines.count, !lines[index].hasPrefix("```") {
                    command += "\n" + lines[index]
                    index += 1
                }
                if let words = Self.arguments(of: command)?.words {
                    let isWhole = !words.contains(where: Self.isPlaceholder)
                    commands.append(Use(line: number, words: words, isWhole: isWhole))
                }
            } else {
                for (place, code) in line.components(separatedBy: "`").enumerated() where place % 2 == 1 {
                    add(code, line: number, names)
                }
            }
        }
    }

    private mutating func add(_ code: String, line: Int, _ names: [String]) {
        if let words = Self.arguments(of: code)?.words {
            commands.append(Use(line: line, words: words))
        } else if let words = ShellText.words(of: code), let first = words.first {
            if first.hasPrefix("--") {
                options.append(Use(line: line, words: words))
            } else if names.contains(first), words.contains(where: { $0.hasPrefix("--") }) {
                commands.append(Use(line: line, words: words))
            }
        }
    }

    /// Returns whether a word stands for others, as `…` and `TOKEN` do.
    private static func isPlaceholder(_ word: String) -> Bool {
        word.contains("…") || word.count > 2 && word.allSatisfy(\.isUppercase)
    }

    /// Returns the arguments of a call of `store-cli`; nil for other text. They are open if a further line belongs to them.
    private static func arguments(of text: String) -> (words: [String]?, isOpen: Bool)? {
        let rest = text.trimmingPrefix("$ ").trimmingPrefix("swift run ")
        guard rest == "store-cli" || rest.hasPrefix("store-cli ") else { return nil }
        let words = ShellText.words(of: rest)
        return (words.map { Array($0.dropFirst()) }, words == nil)
    }
}
