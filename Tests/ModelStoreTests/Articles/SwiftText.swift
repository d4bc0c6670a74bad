/// Finds its way in Swift source: strings and comments are no code.
enum SwiftText {
    private enum Part {
        case code
        case string(quotes: Int)
    }

    /// Returns lines in which `fatalError()` replaces each `…` of the code. It stands for code that the reader adds, and
    /// `fatalError()` has every type.
    static func withoutEllipses(_ lines: [String]) -> [String] {
        var part = Part.code
        return lines.map { line in
            var result = ""
            var rest = line[...]
            // Only a string with three quotation marks continues in the next line.
            if case .string(quotes: 1) = part { part = .code }
            while let character = rest.first {
                var count = 1
                switch part {
                case .code where rest.hasPrefix("//"): return result + rest
                case .code where character == "\"":
                    count = rest.hasPrefix("\"\"\"") ? 3 : 1
                    part = .string(quotes: count)
                case .code where character == "…":
                    result += "fatalError()"
                    rest = rest.dropFirst()
                    continue
                case .string where character == "\\": count = 2
                case .string(let quotes) where rest.hasPrefix(String(repeating: "\"", count: quotes)):
                    count = quotes
                    part = .code
                default: break
                }
                result += rest.prefix(count)
                rest = rest.dropFirst(count)
            }
            return result
        }
    }

    /// Returns the text behind the closing parenthesis that matches the one at the beginning; empty if there is none.
    static func afterParentheses(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            if depth == 0 { return text[text.index(after: index)...] }
        }
        return ""
    }
}
