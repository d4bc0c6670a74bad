// The text of conditions, in the expression language that `store-cli` reads. Each tree has one spelling.
extension ConditionNode {
    /// The condition as an expression.
    ///
    /// Parsing the text gives the same tree, where expressions can represent the tree at all. Three exceptions give another tree
    /// with the same meaning:
    ///
    /// - `and` and `or` with fewer than two terms become the term or constant that they stand for.
    /// - A URL loses its base.
    /// - A test that a text or data has the size 0 becomes a comparison with an empty value.
    ///
    /// The text nests no deeper than the expression from which the tree was parsed.
    package var text: String {
        switch self {
        case .and(let terms) where between == nil:
            return Self.joined(terms, by: " && ", ofNone: "true") {
                switch $0 {
                case .and, .or: true
                default: false
                }
            }
        case .or(let terms):
            return Self.joined(terms, by: " || ", ofNone: "false") {
                if case .or = $0 { true } else { false }
            }
        case .not(let term): return term.test(isNegated: true) ?? term.negatedText
        default: return test(isNegated: false) ?? comparisonText
        }
    }

    /// The condition with each long list of values shortened to its length and first values. The result is for messages; no
    /// expression has this form.
    var withShortLists: ConditionNode {
        func list(_ field: FieldName, _ word: String, _ values: [DynamicValue]) -> ConditionNode {
            let first = values.prefix(3).map(\.literal).joined(separator: ", ")
            let text = "\(field.text) \(word) [\(values.count) keys: \(first), …]"
            return .found(FoundRecords(keys: [], isExcluded: false, text: text))
        }
        let longest = 8
        return switch self {
        case .membership(let field, let values) where values.count > longest: list(field, "in", values)
        case .not(.membership(let field, let values)) where values.count > longest: list(field, "not in", values)
        case .and(let parts): .and(parts.map(\.withShortLists))
        case .or(let parts): .or(parts.map(\.withShortLists))
        case .not(let part): .not(part.withShortLists)
        case .elements(let field, let test, let part): .elements(field, test, part.withShortLists)
        case .inverse(let name, let part, let comparison, let count):
            .inverse(name, part.withShortLists, comparison, count)
        default: self
        }
    }

    /// Returns the text of a test that has a word of its own; a negated test has `not` before the word. Nil for other conditions.
    private func test(isNegated: Bool) -> String? {
        let not = isNegated ? "not " : ""
        switch self {
        case .membership(let field, let values):
            return "\(field.text) \(not)in [\(values.map(\.literal).joined(separator: ", "))]"
        case .text(let field, let test, let text, let options):
            return "\(field.text) \(not)\(test.rawValue)\(options.text) \(ExpressionSyntax.quoted(text, by: "\""))"
        case .element(let field, let value): return "\(field.text) \(not)contains \(value.literal)"
        case .elements(let field, let test, let condition):
            return "\(field.text) \(not)\(test.rawValue) (\(condition.text))"
        case .size(let field, .equal, 0): return "\(field.text) \(not)isEmpty"
        case .inverse(let inverse, .constant(true), .equal, 0): return "\(inverse.text) \(not)isEmpty"
        case .inverse(let inverse, .not(let condition), .equal, 0):
            return "\(inverse.text) \(not)all (\(condition.text))"
        case .inverse(let inverse, let condition, .greaterOrEqual, 1):
            return "\(inverse.text) \(not)any (\(condition.text))"
        case .and:
            guard let (field, low, high) = between else { return nil }
            return "\(field.text) \(not)between \(low.literal) and \(high.literal)"
        default: return nil
        }
    }

    private var comparisonText: String {
        switch self {
        case .comparison(let field, let comparison, let value):
            "\(field.text) \(comparison.rawValue) \(value.literal)"
        case .fieldComparison(let field, let comparison, let other):
            "\(field.text) \(comparison.rawValue) \(other.text)"
        case .arithmetic(let left, let comparison, let right): "\(left.text) \(comparison.rawValue) \(right.text)"
        case .size(let field, let comparison, let count): "count(\(field.text)) \(comparison.rawValue) \(count)"
        case .inverse(let inverse, .constant(true), let comparison, let count):
            "count(\(inverse.text)) \(comparison.rawValue) \(count)"
        case .inverse(let inverse, let condition, let comparison, let count):
            "count(\(inverse.text) where \(condition.text)) \(comparison.rawValue) \(count)"
        case .found(let found): found.text
        case .constant(let value): value ? "true" : "false"
        case .invalid(let mistake): "invalid(\(mistake.reason))"
        // Each of these has another form.
        case .membership, .text, .element, .elements, .and, .or, .not: text
        }
    }

    private var negatedText: String {
        switch self {
        case .not, .constant: "!" + text
        default: "!(" + text + ")"
        }
    }

    /// The field and the bounds where this is a `between` test; nil where it is not.
    private var between: (field: FieldName, low: DynamicValue, high: DynamicValue)? {
        guard case .and(let terms) = self, terms.count == 2,
            case .comparison(let field, .greaterOrEqual, let low) = terms[0],
            case .comparison(field, .lessOrEqual, let high) = terms[1]
        else { return nil }
        return (field, low, high)
    }

    /// Joins the texts of terms. Terms that would otherwise come apart are put in parentheses.
    private static func joined(
        _ terms: [ConditionNode], by separator: String, ofNone: String, comesApart: (ConditionNode) -> Bool
    ) -> String {
        let terms = terms.map(\.withoutLoneTerms)
        if terms.count == 1 { return terms[0].text }
        let texts = terms.map { term in
            comesApart(term) && term.between == nil && !term.isConstant ? "(" + term.text + ")" : term.text
        }
        return terms.isEmpty ? ofNone : texts.joined(separator: separator)
    }

    /// The only term where this is an `and` or `or` with one term; otherwise the condition itself.
    private var withoutLoneTerms: ConditionNode {
        switch self {
        case .and(let terms) where terms.count == 1, .or(let terms) where terms.count == 1: terms[0].withoutLoneTerms
        default: self
        }
    }

    /// Whether the text is a single word.
    private var isConstant: Bool { self == .and([]) || self == .or([]) }
}

extension FieldName {
    /// The name as it is written in expressions. Parts that are not plain words are in backticks.
    package var text: String {
        if parts.isEmpty { return ExpressionSyntax.element }
        return parts.map { part in
            let isReserved = parts.count == 1 && ExpressionSyntax.isReserved(part)
            return ExpressionSyntax.isWord(part) && !isReserved ? part : ExpressionSyntax.quoted(part, by: "`")
        }.joined(separator: ".")
    }
}

extension DynamicValue {
    /// The value as it is written in expressions.
    package var literal: String {
        switch self {
        case .none: "null"
        case .bool, .int, .uint, .float, .double, .decimal: text
        default: ExpressionSyntax.quoted(text, by: "\"")
        }
    }
}

extension TextOptions {
    /// The suffix of a test's name: nothing, `[c]`, `[d]` or `[cd]`.
    package var text: String {
        let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[" + letters + "]"
    }
}

/// The rules that the writer and the parser of expressions share.
package enum ExpressionSyntax {
    /// Words with a meaning of their own where a field name may appear. A field with such a name is written in backticks.
    private static let reserved: Set<String> = ["true", "false", "null", "not", "inf", "nan"]

    /// The word for the tested element, in a test of elements.
    package static let element = "it"

    /// Whether a word names a field only in backticks. Case does not matter.
    package static func isReserved(_ word: String) -> Bool { reserved.contains(word.lowercased()) }

    /// Whether a word may begin with this scalar.
    package static func beginsWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDStart
    }

    /// Whether a word may continue with this scalar.
    package static func continuesWord(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isXIDContinue }

    /// Whether `text` is exactly one word.
    package static func isWord(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, beginsWord(first) else { return false }
        return text.unicodeScalars.allSatisfy(continuesWord)
    }

    /// Whether a scalar may appear unescaped in quotes.
    ///
    /// U+FFFD must be escaped, because invalid UTF-8 has become U+FFFD by the time it is read. Marks that change the direction of
    /// writing must be escaped, because they would make one text look like another.
    package static func standsForItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFD: false
        default: true
        }
    }

    /// Returns `text` in quotes, with escapes for the scalars that may not appear unescaped.
    package static func quoted(_ text: String, by quote: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([quote])
        for scalar in text.unicodeScalars {
            switch scalar {
            case quote, "\\": result += ["\\", scalar]
            case "\n": result += ["\\", "n"]
            case "\r": result += ["\\", "r"]
            case "\t": result += ["\\", "t"]
            case _ where standsForItself(scalar): result.append(scalar)
            default: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
            }
        }
        result.append(quote)
        return String(result)
    }
}
