package import StoreEngine

/// A word, a value or a sign of an expression, and its position.
package struct ExpressionToken: Equatable {
    package enum Kind: Equatable {
        /// Words with dots between them. Some may be in backticks.
        case name([NamePart])
        /// A text, without its quotes and escapes.
        case text(String)
        /// A number in JSON's form, or `-inf`.
        case number(String)
        case sign(ExpressionSign)
        case end
    }

    package let kind: Kind
    /// The range in the text, in Unicode scalars.
    package let range: Range<Int>

    /// The word, if the token is a single word without backticks.
    package var word: String? {
        guard case .name(let parts) = kind, parts.count == 1, !parts[0].isQuoted else { return nil }
        return parts[0].text
    }

    /// Returns whether this token is `word`, in upper or lower case.
    package func isWord(_ word: String) -> Bool { self.word?.lowercased() == word.lowercased() }

    /// Whether a value ends here, so that a following minus is a subtraction.
    package var endsOperand: Bool {
        switch kind {
        case .text, .number, .sign(.close): true
        case .name: !Self.wordsBeforeValues.contains(word?.lowercased() ?? "")
        case .sign, .end: false
        }
    }

    /// Words of the language before a value.
    private static let wordsBeforeValues: Set<String> = ["and", "or", "not", "between", "contains", "in"]

    /// The text for messages.
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

/// Signs, which are neither words nor values. Signs of two characters come first, because some begin with a shorter sign.
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

    /// The arithmetic operator, if the sign is one.
    package var arithmetic: ArithmeticOperator? { ArithmeticOperator(rawValue: rawValue) }
}
