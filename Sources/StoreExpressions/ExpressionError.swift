import StoreEngine

/// Why an expression or a list of fields is not understood, and where.
package struct ExpressionError: Error, Equatable {
    /// Where the text came from: the option's name.
    package let source: String
    /// The place in the text in Unicode scalars, from 1.
    package let column: Int
    /// What was expected there and what was found, and what to do where that helps.
    package let reason: String
    /// The text around the place, and marks below the place; nothing of an empty text.
    package let excerpt: [String]

    /// All of it in one line.
    package var message: String { "\(source), column \(column): \(reason)" }
}

/// A text that is being read, and what it is called.
package struct ExpressionSource {
    /// Longer texts are refused. No single argument reaches it on Linux.
    package static let maximumByteCount = 1 << 17
    /// How much of the text is shown before a mistake, of the mistake, and after it.
    private static let shownCount = 40

    package let name: String
    package let scalars: [Unicode.Scalar]
    /// Whether fields may have the names in it that they had before, as in a text from then.
    let allowsEarlierNames: Bool

    /// - Throws: ``ExpressionError`` when the text is too long.
    package init(_ text: String, name: String, allowsEarlierNames: Bool = false) throws(ExpressionError) {
        self.name = name
        self.allowsEarlierNames = allowsEarlierNames
        let byteCount = text.utf8.count
        scalars = Array(text.unicodeScalars.prefix(Self.maximumByteCount))
        guard byteCount <= Self.maximumByteCount else {
            throw error(at: 0..<0, "the text has \(byteCount) bytes, at most \(Self.maximumByteCount) are read")
        }
    }

    /// The error for what stands at `range`.
    package func error(at range: Range<Int>, _ reason: String) -> ExpressionError {
        ExpressionError(source: name, column: range.lowerBound + 1, reason: reason, excerpt: excerpt(range))
    }

    /// The place of the field that a name stands for.
    func fieldIndex(of name: String, among fields: [FieldSchema]) -> Int? {
        if let fieldIndex = fields.firstIndex(where: { $0.name == name }) { return fieldIndex }
        return allowsEarlierNames ? fields.firstIndex { $0.renamedFrom.contains(name) } : nil
    }

    /// The text of a range.
    package func text(_ range: Range<Int>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[range])
        return String(view)
    }

    private func excerpt(_ range: Range<Int>) -> [String] {
        guard !scalars.isEmpty else { return [] }
        let start = max(0, range.lowerBound - Self.shownCount)
        let markEnd = min(range.upperBound, range.lowerBound + Self.shownCount)
        let end = min(scalars.count, markEnd + Self.shownCount)
        // Escaped here already, so that the marks stand where the terminal shows the place.
        let before = (start > 0 ? "…" : "") + DisplayText.escaped(text(start..<range.lowerBound))
        let marked = DisplayText.escaped(text(range.lowerBound..<markEnd))
        let after = DisplayText.escaped(text(markEnd..<end)) + (end < scalars.count ? "…" : "")
        let indent = String(repeating: " ", count: DisplayText.width(of: before))
        let marks = String(repeating: "^", count: max(1, DisplayText.width(of: marked)))
        return ["  " + before + marked + after, "  " + indent + marks]
    }
}
