import StoreEngine

/// An error in an expression or a list of fields, with its position.
package struct ExpressionError: Error, Equatable {
    /// The source of the text: the option's name.
    package let source: String
    /// The column in the text, in Unicode scalars, from 1.
    package let column: Int
    /// The expected and the found text, and a remedy if there is one.
    package let reason: String
    /// The text around the error, and a line that marks it; empty for an empty text.
    package let excerpt: [String]

    /// The whole error in one line.
    package var message: String { "\(source), column \(column): \(reason)" }
}

/// A text to parse, and its name.
package struct ExpressionSource {
    /// Longer texts are rejected. On Linux, a single argument cannot be that long.
    package static let maximumByteCount = 1 << 17
    /// How many scalars of the text are shown before an error, of the error, and after it.
    private static let shownCount = 40

    package let name: String
    package let scalars: [Unicode.Scalar]
    /// Whether the text may use earlier names of fields, because it was written with an earlier schema.
    let allowsEarlierNames: Bool

    /// - Throws: ``ExpressionError`` if the text is too long.
    package init(_ text: String, name: String, allowsEarlierNames: Bool = false) throws(ExpressionError) {
        self.name = name
        self.allowsEarlierNames = allowsEarlierNames
        let byteCount = text.utf8.count
        scalars = Array(text.unicodeScalars.prefix(Self.maximumByteCount))
        guard byteCount <= Self.maximumByteCount else {
            throw error(at: 0..<0, "the text has \(byteCount) bytes, but at most \(Self.maximumByteCount) are allowed")
        }
    }

    /// Returns an error at `range`.
    package func error(at range: Range<Int>, _ reason: String) -> ExpressionError {
        ExpressionError(source: name, column: range.lowerBound + 1, reason: reason, excerpt: excerpt(range))
    }

    /// Returns the index of the field with a name.
    func fieldIndex(of name: String, among fields: [FieldSchema]) -> Int? {
        if let fieldIndex = fields.firstIndex(where: { $0.name == name }) { return fieldIndex }
        return allowsEarlierNames ? fields.firstIndex { $0.renamedFrom.contains(name) } : nil
    }

    /// Returns the text of a range.
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
        // Escaped before measuring, so that the marks are below the displayed error.
        let before = (start > 0 ? "…" : "") + DisplayText.escaped(text(start..<range.lowerBound))
        let marked = DisplayText.escaped(text(range.lowerBound..<markEnd))
        let after = DisplayText.escaped(text(markEnd..<end)) + (end < scalars.count ? "…" : "")
        let indent = String(repeating: " ", count: DisplayText.width(of: before))
        let marks = String(repeating: "^", count: max(1, DisplayText.width(of: marked)))
        return ["  " + before + marked + after, "  " + indent + marks]
    }
}
