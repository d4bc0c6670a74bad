package import StoreEngine

/// Parses a condition on the records of a type.
///
/// ```
/// condition  = conjunction { ("||" | "or") conjunction }
/// conjunction = negation { ("&&" | "and") negation }
/// negation   = ("!" | "not") negation | "(" condition ")" | predicate
/// predicate  = sum comparison sum
///            | sum ["not"] "between" sum "and" sum
///            | (field | inverse) ["not"] ("any" | "all") "(" condition ")"
///            | field ["not"] ("in" list | "contains" value | "startsWith" text | "endsWith" text | "equals" text)
///            | (field | inverse) "isEmpty" | "true" | "false" | field of type bool
/// comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
/// sum        = product { ("+" | "-") product }
/// product    = factor { ("*" | "/" | "%") factor }
/// factor     = operand | "-" factor | "(" sum ")"
/// operand    = field | value | "count" "(" (field | inverse ["where" condition]) ")"
/// inverse    = [field "."] "inverse" "(" word "." word ")"
/// list       = "[" [value { "," value }] "]"
/// value      = text | number | "inf" | "-inf" | "nan" | "true" | "false" | "null"
/// field      = word { "." word }
/// ```
///
/// After a field that refers to a record, a dot leads to the fields of that record: `room.name`. `inverse(Sensor.room)` stands
/// for the records that refer to the current record with the given field of the given type. The condition after it applies to
/// their fields. After references, as in `room.inverse(Sensor.room)`, it stands for the records that refer to the record at the
/// end of the path.
///
/// A word may be in backticks. It must be in backticks if it is not a plain word, or if it is a word for a value. Tests of texts
/// take `[c]`, `[d]` or `[cd]` after their name, and so do `==` and `!=`. They then ignore upper and lower case, diacritics, or
/// both. In the condition of `any` and `all`, the element is called `it`. If the element is a struct or refers to a record, its
/// fields can be used by name. Words of the language may be in upper or lower case.
package struct ExpressionParser {
    /// The maximum depth of parentheses and negations. It limits the stack of every traversal of the tree.
    package static let maximumDepth = 200

    package let source: ExpressionSource
    /// The owner of the fields: the record type, or the elements of an element test.
    package var type: RecordType
    /// How many references lead from the requested record to the owner of the fields.
    package var hopCount = 0
    /// The types that references can lead to, directly or indirectly; empty if names go through no references.
    package let targets: [RecordType]
    private let tokens: [ExpressionToken]
    private var position = 0
    private var depth = 0
    /// The index of the closing parenthesis for each opening one, by their indexes in the tokens.
    private let closing: [Int: Int]

    /// Returns the condition that `text` describes; `name` is the name of the text in messages.
    ///
    /// - Parameter allowsEarlierNames: whether fields may have the names that they had before.
    /// - Throws: ``ExpressionError``.
    package static func condition(
        _ text: String, of type: RecordType, among targets: [RecordType] = [], named name: String,
        allowsEarlierNames: Bool = false
    ) throws(ExpressionError) -> ConditionNode {
        var parser = try ExpressionParser(
            text, of: type, among: targets, named: name, allowsEarlierNames: allowsEarlierNames)
        let condition = try parser.disjunction()
        guard parser.current.kind == .end else { throw parser.expected("&&, || or the end") }
        return condition
    }

    package init(
        _ text: String, of type: RecordType, among targets: [RecordType] = [], named name: String,
        allowsEarlierNames: Bool = false
    ) throws(ExpressionError) {
        source = try ExpressionSource(text, name: name, allowsEarlierNames: allowsEarlierNames)
        self.type = type
        self.targets = targets
        tokens = try ExpressionLexer.tokens(of: source)
        closing = Self.pairs(tokens)
    }

    private static func pairs(_ tokens: [ExpressionToken]) -> [Int: Int] {
        var (open, pairs): ([Int], [Int: Int]) = ([], [:])
        for (number, token) in tokens.enumerated() {
            if token.kind == .sign(.open) { open.append(number) }
            if token.kind == .sign(.close), let last = open.popLast() { pairs[last] = number }
        }
        return pairs
    }

    // MARK: Terms

    private mutating func disjunction() throws(ExpressionError) -> ConditionNode {
        let start = current.range
        var terms = [try conjunction()]
        while skip(.or) || skip(word: "or") { terms.append(try conjunction()) }
        let condition = terms.count == 1 ? terms[0] : .or(terms)
        // A parenthesis may add one level each for ||, && and !.
        guard condition.depth <= ConditionMistake.maximumDepth else {
            throw source.error(at: start, ConditionMistake.deepCondition.reason)
        }
        return condition
    }

    private mutating func conjunction() throws(ExpressionError) -> ConditionNode {
        var terms = [try negation()]
        while skip(.and) || skip(word: "and") { terms.append(try negation()) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func negation() throws(ExpressionError) -> ConditionNode {
        let token = current
        let isNot = skip(.not) || skip(word: "not")
        guard isNot || (!beginsSum && skip(.open)) else { return try predicate() }
        return try nested(at: token.range) { parser throws(ExpressionError) in
            // The parentheses of a negated condition are not a level of their own.
            if isNot, parser.beginsSum || !parser.skip(.open) { return .not(try parser.negation()) }
            let condition = try parser.closedCondition()
            return isNot ? .not(condition) : condition
        }
    }

    /// Reads a condition and its closing parenthesis.
    package mutating func closedCondition() throws(ExpressionError) -> ConditionNode {
        let condition = try disjunction()
        guard skip(.close) else { throw expected("&&, || or )") }
        return condition
    }

    /// Reads a part that is one level deeper.
    package mutating func nested<T>(
        at range: Range<Int>, _ body: (inout ExpressionParser) throws(ExpressionError) -> T
    ) throws(ExpressionError) -> T {
        guard depth < Self.maximumDepth else {
            throw source.error(at: range, "parentheses and negations nest deeper than \(Self.maximumDepth)")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Whether the next parenthesis contains a number and not a condition: an operator for numbers follows it.
    private var beginsSum: Bool {
        guard current.kind == .sign(.open), let end = closing[position] else { return false }
        let next = tokens[end + 1]
        guard case .sign(let sign) = next.kind else { return next.isWord("between") }
        return sign.arithmetic != nil || Comparison(rawValue: sign.rawValue) != nil
    }

    // MARK: Tokens

    package var current: ExpressionToken { tokens[position] }

    /// The end of the last token that was read.
    package var passedEnd: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    /// Reads the next token and returns it. The end token is never consumed.
    package mutating func take() -> ExpressionToken {
        let token = current
        if token.kind != .end { position += 1 }
        return token
    }

    /// Reads the next token if it is this sign.
    package mutating func skip(_ sign: ExpressionSign) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        position += 1
        return true
    }

    /// Reads the next token if it is this word.
    package mutating func skip(word: String) -> Bool {
        guard current.isWord(word) else { return false }
        position += 1
        return true
    }

    /// The token after the current one.
    package var following: ExpressionToken? { position + 1 < tokens.count ? tokens[position + 1] : nil }

    /// Returns whether the token after the current one is this sign.
    package func isFollowed(by sign: ExpressionSign) -> Bool { following?.kind == .sign(sign) }

    /// Returns the error for an unexpected token.
    package func expected(_ what: String) -> ExpressionError {
        source.error(at: current.range, "expected \(what), found \(current.description)")
    }
}
