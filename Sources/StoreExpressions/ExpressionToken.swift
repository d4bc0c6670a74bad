package import StoreEngine

/// A word, a value or a sign of an expression, and where it stands.
package struct ExpressionToken: Equatable {
    package enum Kind: Equatable {
        /// Words with dots between them, of which some may be in backticks.
        case name([NamePart])
        /// A text, without its quotes and escapes.
        case text(String)
        /// A number as JSON writes it, or `-inf`.
        case number(String)
        case sign(ExpressionSign)
        case end
    }

    package let kind: Kind
    /// The place in the text, in Unicode scalars.
    package let range: Range<Int>

    /// The only word, when this is one that is not in backticks.
    package var word: String? {
        guard case .name(let parts) = kind, parts.count == 1, !parts[0].isQuoted else { return nil }
        return parts[0].text
    }

    /// Whether this is `word`, in upper or lower case.
    package func isWord(_ word: String) -> Bool { self.word?.lowercased() == word.lowercased() }

    /// Whether a value ends here, so that a minus behind it subtracts.
    package var endsOperand: Bool {
        switch kind {
        case .text, .number, .sign(.close): true
        case .name: !Self.wordsBeforeValues.contains(word?.lowercased() ?? "")
        case .sign, .end: false
        }
    }

    /// Words of the language behind which a value follows.
    private static let wordsBeforeValues: Set<String> = ["and", "or", "not", "between", "contains", "in"]

    /// What a message calls this.
    package var description: String {
        switch kind {
        case .name(let parts): RecordText.shortened(parts.map(\.text).joined(separator: "."))
        case .text(let text): "the text " + ExpressionSyntax.quoted(RecordText.shortened(text), by: "\"")
        case .number(let text): "the number " + RecordText.shortened(text)
        case .sign(let sign): sign.rawValue
        case .end: "the end"
        }
    }
}

/// One word of a name.
package struct NamePart: Equatable {
    package var text: String
    package var isQuoted: Bool
    package var range: Range<Int>
}

/// What is neither word nor value. Those of two characters come first: one may begin like another.
package enum ExpressionSign: String, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case less = "<"
    case greater = ">"
    case not = "!"
    case open = "("
    case close = ")"
    case openList = "["
    case closeList = "]"
    case comma = ","
    case colon = ":"
    case minus = "-"
    case plus = "+"
    case times = "*"
    case divided = "/"
    case remainder = "%"

    /// The signs by their first characters, the longer ones first.
    static let byFirst: [Unicode.Scalar: [(scalars: [Unicode.Scalar], sign: ExpressionSign)]] =
        Dictionary(
            grouping: allCases.map { (scalars: Array($0.rawValue.unicodeScalars), sign: $0) }, by: { $0.scalars[0] }
        ).mapValues { signs in signs.sorted { $0.scalars.count > $1.scalars.count } }

    /// What it calculates, if anything.
    package var arithmetic: ArithmeticOperator? { ArithmeticOperator(rawValue: rawValue) }
}
