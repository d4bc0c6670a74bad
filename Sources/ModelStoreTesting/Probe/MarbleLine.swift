/// A marble line: the contents of several updates, one group for each.
struct MarbleLine {
    let groups: [MarbleGroup]

    /// Reads a line.
    ///
    /// - Throws: ``MarbleSyntaxError``.
    init(_ text: String) throws(MarbleSyntaxError) {
        var groups: [MarbleGroup] = []
        for word in try Self.split(text, in: text, where: \.isWhitespace) where !word.isEmpty {
            var marbles: [MarbleGroup.Marble] = []
            for part in try Self.split(word, in: text, where: { $0 == "," }) {
                marbles.append(try Self.marble(part, in: text))
            }
            groups.append(MarbleGroup(marbles))
        }
        self.groups = groups
    }

    /// Returns the parts of a text between separators outside parentheses.
    private static func split(
        _ part: String, in text: String, where isSeparator: (Character) -> Bool
    ) throws(MarbleSyntaxError) -> [String] {
        var (parts, depth) = ([""], 0)
        for character in part {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            guard depth == 0 || depth == 1 else {
                throw MarbleSyntaxError(text: text, part: part, reason: "its parentheses do not match")
            }
            if depth == 0, isSeparator(character) {
                parts.append("")
            } else {
                parts[parts.endIndex - 1].append(character)
            }
        }
        guard depth == 0 else {
            throw MarbleSyntaxError(text: text, part: part, reason: "its parentheses do not match")
        }
        return parts
    }

    private static func marble(_ part: String, in text: String) throws(MarbleSyntaxError) -> MarbleGroup.Marble {
        func wrong(_ reason: String) -> MarbleSyntaxError { MarbleSyntaxError(text: text, part: part, reason: reason) }
        let rest = String(part.dropFirst())
        switch part.first {
        case "(":
            guard part.last == ")" else { throw wrong("rows end with a closing parenthesis") }
            let content = rest.dropLast().filter { !$0.isWhitespace }
            guard content.contains(",") else { return .rows(content.map(String.init)) }
            return .rows(content.split(separator: ",").map(String.init))
        case "-" where !rest.isEmpty: return .delete(rest)
        case "~" where rest.count > 1 && rest.last == "!": return .update(String(rest.dropLast()), isReplaced: true)
        case "~" where !rest.isEmpty: return .update(rest, isReplaced: false)
        case "+" where !rest.isEmpty:
            guard let sign = rest.lastIndex(of: "@") else { return .insert(rest, at: nil) }
            guard let index = Int(rest[rest.index(after: sign)...]) else { throw wrong("no index follows the @") }
            return .insert(String(rest[..<sign]), at: index)
        default:
            guard let sign = part.lastIndex(of: ">"), sign > part.startIndex,
                let index = Int(part[part.index(after: sign)...])
            else { throw wrong("it is not one of (rows) -delete move>index +insert +insert@index ~update ~replaced!") }
            return .move(String(part[..<sign]), to: index)
        }
    }

    /// Returns the difference between this line and the found groups: both lines, one above the other, and a mark under the first
    /// difference. Nil if they are equal.
    func difference(from found: [MarbleGroup]) -> String? {
        let pairs = (0..<max(groups.count, found.count)).map { index -> (expected: String, found: String) in
            let expected = groups.indices.contains(index) ? groups[index] : nil
            let other = found.indices.contains(index) ? found[index].shown(beside: expected) : nil
            return (expected?.description ?? "", other?.description ?? "")
        }
        guard let first = pairs.firstIndex(where: { $0.expected != $0.found }) else { return nil }
        func line(_ title: String, _ words: [String]) -> String {
            let padded = zip(words, pairs).map { word, pair in
                word + String(repeating: " ", count: max(pair.expected.count, pair.found.count) - word.count)
            }
            var text = title + padded.joined(separator: " ")
            while text.last == " " { text.removeLast() }
            return text
        }
        let widths = pairs[..<first].map { max($0.expected.count, $0.found.count) + 1 }
        // The mark points at the first character of the group that differs.
        let same = zip(pairs[first].expected, pairs[first].found).prefix { $0 == $1 }.count
        let mark = String(repeating: " ", count: widths.reduce(same, +)) + "^"
        return [
            line("expected  ", pairs.map(\.expected)), line("found     ", pairs.map(\.found)), "          " + mark,
        ].joined(separator: "\n")
    }
}

/// An error in the syntax of a marble line.
struct MarbleSyntaxError: Error, CustomStringConvertible {
    let text: String
    let part: String
    let reason: String

    var description: String { "\"\(part)\" in the marbles \"\(text)\": \(reason)" }
}
