import StoreEngine

/// Splits an expression into words, values and signs.
package struct ExpressionLexer {
    package let source: ExpressionSource
    package var position = 0
    /// Whether the last token ends a value, so that a minus is an operator and not part of a number.
    private var followsOperand = false

    package init(source: ExpressionSource) { self.source = source }

    /// Returns the tokens of a text. The last one is the end.
    package static func tokens(of source: ExpressionSource) throws(ExpressionError) -> [ExpressionToken] {
        var lexer = ExpressionLexer(source: source)
        var tokens: [ExpressionToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    package var current: Unicode.Scalar? { scalar(at: position) }

    package func scalar(at index: Int) -> Unicode.Scalar? {
        index < source.scalars.count ? source.scalars[index] : nil
    }

    private mutating func next() throws(ExpressionError) -> ExpressionToken {
        while let current, [" ", "\t", "\n", "\r"].contains(current) { position += 1 }
        let start = position
        guard let current else { return ExpressionToken(kind: .end, range: start..<start) }
        let token = ExpressionToken(kind: try readKind(current), range: start..<position)
        followsOperand = token.endsOperand
        return token
    }

    private mutating func readKind(_ first: Unicode.Scalar) throws(ExpressionError) -> ExpressionToken.Kind {
        if first == "\"" || first == "'" { return .text(try readQuoted(first, "text")) }
        if first == "`" || ExpressionSyntax.beginsWord(first) { return .name(try readName()) }
        if isDigit(first) || (first == "-" && !followsOperand && beginsNegativeNumber) {
            return .number(try readNumber())
        }
        for (scalars, sign) in ExpressionSign.byFirst[first] ?? []
        where source.scalars[position...].starts(with: scalars) {
            position += scalars.count
            return .sign(sign)
        }
        throw source.error(at: position..<position + 1, unknown(first))
    }

    private func unknown(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "=": return "= is not an operator; write =="
        case "&": return "& is not an operator; write &&"
        case "|": return "| is not an operator; write ||"
        case "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}": return "put a text in straight quotes: \"…\""
        case "\u{FFFD}": return "these bytes are not UTF-8"
        default: return "expected a field, a value or an operator, found \(DisplayText.escaped(String(scalar)))"
        }
    }

    // MARK: Names

    private mutating func readName() throws(ExpressionError) -> [NamePart] {
        var parts = [try readPart()]
        while current == "." {
            position += 1
            parts.append(try readPart())
        }
        return parts
    }

    private mutating func readPart() throws(ExpressionError) -> NamePart {
        let start = position
        if current == "`" {
            let text = try readQuoted("`", "name")
            return NamePart(text: text, isQuoted: true, range: start..<position)
        }
        guard let current, ExpressionSyntax.beginsWord(current) else {
            throw source.error(
                at: start..<min(start + 1, source.scalars.count), "expected a field's name after the dot")
        }
        skip(while: ExpressionSyntax.continuesWord)
        return NamePart(text: source.text(start..<position), isQuoted: false, range: start..<position)
    }

    // MARK: Numbers

    private var beginsNegativeNumber: Bool {
        guard let next = scalar(at: position + 1) else { return false }
        if isDigit(next) { return true }
        let word = source.scalars[(position + 1)...].prefix(while: ExpressionSyntax.continuesWord)
        return String(String.UnicodeScalarView(word)).lowercased() == "inf"
    }

    private mutating func readNumber() throws(ExpressionError) -> String {
        let start = position
        let term = source.text(start..<endOfTerm(start))
        position += term.unicodeScalars.count
        let isFollowed = current.map(Self.continuesValue) ?? false
        if !isFollowed, term.lowercased() == "-inf" { return "-inf" }
        if JSONNumber(text: term) != nil, !isFollowed || !Self.isDate(beginning(start)) { return term }
        // Reads the whole text that may be meant as one value, so that a date without quotes is not reported as a number with a
        // leading zero.
        skip(while: Self.continuesValue)
        let text = source.text(start..<position)
        let remedy = Self.isDate(text) ? "; put dates, UUIDs and other texts in quotes" : ""
        throw source.error(at: start..<position, "\(RecordText.shortened(text)) is not a number\(remedy)")
    }

    private static func continuesValue(_ scalar: Unicode.Scalar) -> Bool {
        ExpressionSyntax.continuesWord(scalar) || "+-.:".unicodeScalars.contains(scalar)
    }

    /// Returns the text that shows whether a date or a UUID begins at `start`. It has a limited length, because `1-1-1…` calls
    /// this for each of its numbers.
    private func beginning(_ start: Int) -> String {
        let value = source.scalars[start...].prefix(40).prefix(while: Self.continuesValue)
        return source.text(value.indices)
    }

    /// Returns whether a text that begins with a digit was probably meant as a quoted text: a year and a month, a time, or a
    /// UUID.
    private static func isDate(_ text: String) -> Bool {
        text.contains(":") || text.prefixMatch(of: /\d{4}-\d{2}(?!\d)|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-/) != nil
    }

    /// Returns the position where a value ends, or where a plus or a minus follows it directly: `5-id`.
    private func endOfTerm(_ start: Int) -> Int {
        var end = start + 1
        while let scalar = scalar(at: end), Self.continuesValue(scalar) {
            if ["+", "-"].contains(scalar), !["e", "E"].contains(source.scalars[end - 1]) { break }
            end += 1
        }
        return end
    }

    private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while let current, condition(current) { position += 1 }
    }

    private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
