import StoreEngine

/// Reads a condition on the records of a type.
///
/// ```
/// condition  = conjunction { ("||" | "or") conjunction }
/// conjunction = negation { ("&&" | "and") negation }
/// negation   = ("!" | "not") negation | "(" condition ")" | predicate
/// predicate  = operand comparison operand
///            | operand ["not"] "between" operand "and" operand
///            | field ["not"] ("in" list | "contains" value | "startsWith" text | "endsWith" text | "equals" text)
///            | field "isEmpty" | "true" | "false" | field of type bool
/// comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
/// operand    = field | value | "count" "(" field ")"
/// list       = "[" [value { "," value }] "]"
/// value      = text | number | "inf" | "-inf" | "nan" | "true" | "false" | "null"
/// field      = word { "." word }
/// ```
///
/// A word may be in backticks, which it must be where it is no plain word or one of those that are values. The tests of
/// texts take `[c]`, `[d]` or `[cd]` behind their name, as do `==` and `!=`: upper and lower case, diacritics, or both
/// make no difference then. Words of the language are read in upper and lower case.
struct ExpressionParser {
    /// How deep parentheses and negations may nest. It bounds the stack of everything that walks the tree.
    static let maximumDepth = 200

    let source: ExpressionSource
    let type: RecordType
    private let tokens: [ExpressionToken]
    private var position = 0
    private var depth = 0

    /// The condition that `text` spells; `name` is what messages call the text.
    ///
    /// - Throws: ``ExpressionError``.
    static func condition(
        _ text: String, of type: RecordType, named name: String
    ) throws(ExpressionError) -> ConditionNode {
        var parser = try ExpressionParser(text, of: type, named: name)
        let condition = try parser.disjunction()
        guard parser.current.kind == .end else { throw parser.expected("&&, || or the end") }
        return condition
    }

    init(_ text: String, of type: RecordType, named name: String) throws(ExpressionError) {
        source = try ExpressionSource(text, name: name)
        self.type = type
        tokens = try ExpressionLexer.tokens(of: source)
    }

    // MARK: Terms

    private mutating func disjunction() throws(ExpressionError) -> ConditionNode {
        var terms = [try conjunction()]
        while skip(.or) || skip(word: "or") { terms.append(try conjunction()) }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction() throws(ExpressionError) -> ConditionNode {
        var terms = [try negation()]
        while skip(.and) || skip(word: "and") { terms.append(try negation()) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func negation() throws(ExpressionError) -> ConditionNode {
        let token = current
        let isNot = skip(.not) || skip(word: "not")
        guard isNot || skip(.open) else { return try predicate() }
        guard depth < Self.maximumDepth else {
            throw source.error(at: token.range, "parentheses and negations nest deeper than \(Self.maximumDepth)")
        }
        depth += 1
        defer { depth -= 1 }
        // The parentheses of what is negated are no level of their own.
        if isNot, !skip(.open) { return .not(try negation()) }
        let condition = try disjunction()
        guard skip(.close) else { throw expected("&&, || or )") }
        return isNot ? .not(condition) : condition
    }

    // MARK: Tokens

    var current: ExpressionToken { tokens[position] }

    /// Where the last passed token ends.
    var passedEnd: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    /// The next token, which is passed; the end stays.
    mutating func take() -> ExpressionToken {
        let token = current
        if token.kind != .end { position += 1 }
        return token
    }

    /// Passes the next token if it is this sign.
    mutating func skip(_ sign: ExpressionSign) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        position += 1
        return true
    }

    /// Passes the next token if it is this word.
    mutating func skip(word: String) -> Bool {
        guard current.isWord(word) else { return false }
        position += 1
        return true
    }

    /// The token after the next.
    var following: ExpressionToken? { position + 1 < tokens.count ? tokens[position + 1] : nil }

    /// Whether the token after the next is this sign.
    func isFollowed(by sign: ExpressionSign) -> Bool { following?.kind == .sign(sign) }

    /// The error for something else than what has to be next.
    func expected(_ what: String) -> ExpressionError {
        source.error(at: current.range, "expected \(what), found \(current.description)")
    }
}
