/// Text for a terminal: its width in columns, where to cut it, and which characters must be escaped.
///
/// Values come from any source, so control and format characters are shown as escapes. A record must not move the cursor, set the
/// window's title, imitate another text with marks that change the direction of writing, or hide text in characters without a
/// form.
package enum DisplayText {
    /// Whether a reader sees nothing of a text: it is empty, or has only spaces and characters without a form of their own.
    package static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.isWhitespace || isControl($0) }
    }

    /// Returns `text` with escapes for all characters that would control the terminal instead of being displayed.
    package static func escaped(_ text: String) -> String {
        escaping(text, where: isControl) { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
    }

    /// Returns lines of text with JSON's escapes for all characters that would control the terminal, other than ends of lines.
    package static func escapedLines(_ text: String) -> String {
        escaping(text) {
            $0 != "\n" && isControl($0)
        } with: { scalar in
            // JSON writes a character beyond U+FFFF as a pair of surrogates.
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private static func escaping(
        _ text: String, where needsEscape: (Unicode.Scalar) -> Bool, with escape: (Unicode.Scalar) -> String
    ) -> String {
        guard !isPlain(text), text.unicodeScalars.contains(where: needsEscape) else { return text }
        var result = ""
        var previous: Unicode.Scalar?
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if needsEscape(scalar), !isPartOfEmoji(scalar, after: previous, before: rest.first) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return result
    }

    /// Returns the number of columns of `text`, which must not contain control characters.
    package static func width(of text: String) -> Int {
        isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns `text` if it needs at most `limit` columns; otherwise its beginning with “…” at the end.
    package static func cut(_ text: String, to limit: Int) -> String {
        precondition(limit >= 0, "a width is not negative")
        if isPlain(text), text.utf8.count <= limit { return text }
        guard limit > 0 else { return "" }
        var kept = ""
        var used = 0
        var keptBesideEllipsis = ""
        for character in text {
            let next = used + width(of: character)
            if next > limit { return keptBesideEllipsis + "…" }
            kept.append(character)
            used = next
            if used < limit { keptBesideEllipsis = kept }
        }
        return kept
    }

    /// Returns `text` in lines of at most `limit` columns. Lines end at spaces where possible, and no line is empty unless the
    /// text is.
    package static func wrapped(_ text: String, to limit: Int) -> [String] {
        precondition(limit > 0, "a line has a column")
        var lines: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            var end = rest.startIndex
            var lastSpace: String.Index?
            var used = 0
            // At least one character, even if it is wider than the line.
            while end < rest.endIndex, end == rest.startIndex || used + width(of: rest[end]) <= limit {
                used += width(of: rest[end])
                if rest[end] == " " { lastSpace = end }
                end = rest.index(after: end)
            }
            if end < rest.endIndex {
                // A space at the end of the line needs no column.
                if rest[end] == " " { lastSpace = end }
                if let lastSpace, lastSpace > rest.startIndex { end = lastSpace }
            }
            lines.append(String(rest[..<end]))
            rest = rest[end...]
            if rest.first == " " { rest.removeFirst() }
        }
        return lines.isEmpty ? [""] : lines
    }

    /// Returns `text` with spaces after it, or before it, up to `width` columns.
    package static func padded(_ text: String, to width: Int, isRightAligned: Bool) -> String {
        let missing = width - self.width(of: text)
        guard missing > 0 else { return text }
        let spaces = String(repeating: " ", count: missing)
        return isRightAligned ? spaces + text : text + spaces
    }

    /// Returns the columns of one character as a reader sees it: 0 for combining marks alone, 2 for wide characters and emoji.
    package static func width(of character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars {
            // The emoji variation selector changes a narrow character into an emoji.
            if scalar == "\u{FE0F}" { return 2 }
            widest = max(widest, width(of: scalar))
        }
        return widest
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // Vowels and final consonants of Hangul join the syllable before them.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return isWide(scalar) ? 2 : 1
    }

    /// Returns whether a scalar has East Asian Width W or F in Unicode's EastAsianWidth.txt. The wide scalars outside these
    /// blocks are emoji and the letters of flags.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        return wideBlocks.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation
    }

    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    /// Returns whether a scalar controls the text around it, or has no form of its own.
    ///
    /// These are controls, ends of lines, Unicode's format characters (among them marks of direction and tags), and other
    /// characters that displays ignore.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Returns whether a joiner or a variation selector belongs to an emoji, where a reader sees its effect.
    private static func isPartOfEmoji(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        func isEmoji(_ scalar: Unicode.Scalar?) -> Bool {
            scalar.map { $0.properties.isEmoji && $0.value > 0x7F } ?? false
        }
        return switch scalar {
        case "\u{FE0F}": previous?.properties.isEmoji ?? false
        case "\u{200D}": (isEmoji(previous) || previous == "\u{FE0F}") && isEmoji(next)
        default: false
        }
    }

    /// Returns whether all characters are printable ASCII: one byte, one column, nothing to escape.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}
