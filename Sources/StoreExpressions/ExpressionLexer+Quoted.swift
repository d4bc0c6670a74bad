import StoreEngine

// Quoted texts and names, with the escapes of JSON and of Swift.
extension ExpressionLexer {
    /// Reads a quoted text, which begins at the current position; `kind` is its name in messages.
    package mutating func readQuoted(_ quote: Unicode.Scalar, _ kind: String) throws(ExpressionError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while let current {
            if current == quote {
                position += 1
                return String(text)
            }
            if current == "\\" {
                text.append(try readEscape())
                continue
            }
            guard ExpressionSyntax.standsForItself(current) else {
                throw source.error(at: position..<position + 1, forbidden(current, kind))
            }
            text.append(current)
            position += 1
        }
        // The error is at the opening quote, because the end of the text is not informative.
        throw source.error(at: start..<start + 1, "the \(kind) that begins here has no closing \(quote)")
    }

    private func forbidden(_ scalar: Unicode.Scalar, _ kind: String) -> String {
        let escape = "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        return scalar == "\u{FFFD}"
            ? "these bytes are not UTF-8; if U+FFFD is meant, write \(escape)"
            : "a \(kind) cannot contain a bare control character; write \(escape)"
    }

    private mutating func readEscape() throws(ExpressionError) -> Unicode.Scalar {
        let start = position
        position += 2
        switch scalar(at: start + 1) {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u": return try readUnicodeEscape(start)
        case .some(let scalar) where "\\\"'`/".unicodeScalars.contains(scalar): return scalar
        default:
            let end = min(start + 2, source.scalars.count)
            throw source.error(
                at: start..<end, "expected one of \\\"'`/bfnrtu after the backslash; \\\\ is a backslash")
        }
    }

    /// Reads `\u{1F600}`, or four digits, which occur twice for scalars with two UTF-16 units.
    private mutating func readUnicodeEscape(_ start: Int) throws(ExpressionError) -> Unicode.Scalar {
        var value: UInt32?
        if current == "{" {
            let digits = source.scalars[(position + 1)...].prefix(9).prefix { $0 != "}" }
            position = digits.endIndex + 1
            value = (1...8).contains(digits.count) ? hexadecimal(digits) : nil
        } else {
            value = readUnit()
            if let high = value, (0xD800..<0xDC00).contains(high) {
                let isPair = current == "\\" && scalar(at: position + 1) == "u"
                position += isPair ? 2 : 0
                let low = (isPair ? readUnit() : nil).flatMap { (0xDC00..<0xE000).contains($0) ? $0 : nil }
                value = low.map { 0x10000 + (high - 0xD800) << 10 + ($0 - 0xDC00) }
            }
        }
        guard let scalar = value.flatMap(Unicode.Scalar.init) else {
            throw source.error(
                at: start..<min(position, source.scalars.count),
                "this is not a Unicode scalar; write \\u{1F600} or \\u00E9")
        }
        return scalar
    }

    private mutating func readUnit() -> UInt32? {
        let digits = source.scalars[min(position, source.scalars.count)...].prefix(4)
        position = digits.endIndex
        return digits.count == 4 ? hexadecimal(digits) : nil
    }

    private func hexadecimal(_ digits: ArraySlice<Unicode.Scalar>) -> UInt32? {
        guard digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else { return nil }
        return UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
    }
}
