/// Text for a terminal: its width in columns, where to cut it, and which characters must be escaped.
///
/// Values come from any source, so control characters are shown as escapes. A record must not move the cursor, set the window's
/// title, or imitate another text with marks that change the direction of writing.
package enum DisplayText {
    /// Returns `text` with escapes for all characters that would control the terminal instead of being displayed.
    package static func escaped(_ text: String) -> String {
        guard !isPlain(text), text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns lines of text with JSON's escapes for all characters that would control the terminal, other than ends of lines.
    package static func escapedLines(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 != "\n" && isControl($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar != "\n", isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
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

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        case 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Returns whether all characters are printable ASCII: one byte, one column, nothing to escape.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}
