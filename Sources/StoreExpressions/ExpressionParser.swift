package import StoreEngine

/// Reads a condition on the records of a type.
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
/// Behind a field that refers to a record stand the fields of that: `room.name`. `inverse(Sensor.room)` are the records
/// that refer to the one at hand, by a type and a field of it; the condition behind it is on their fields. Behind references,
/// `room.inverse(Sensor.room)`, they are those that refer to the record there.
///
/// A word may be in backticks, which it must be where it is no plain word or one of those that are values. The tests of
/// texts take `[c]`, `[d]` or `[cd]` behind their name, as do `==` and `!=`: upper and lower case, diacritics, or both
/// make no difference then. In the condition of `any` and `all` the element is called `it`; where it is a struct, or refers
/// to a record, the fields of that have their names. Words of the language are read in upper and lower case.
package struct ExpressionParser {
    /// How deep parentheses and negations may nest. It bounds the stack of everything that walks the tree.
    package static let maximumDepth = 200

    package let source: ExpressionSource
    /// What the fields are of: the record type, or the elements that a test of elements is about.
    package var type: RecordType
    /// How many references lead from a record that is looked for to what the fields are of.
    package var hopCount = 0
    /// The types that fields of `type` may refer to, and these in turn; none where names go through no references.
    package let targets: [RecordType]
    private let tokens: [ExpressionToken]
    private var position = 0
    private var depth = 0
    /// For each parenthesis that opens, by its place among the tokens, the place of that which closes it.
    private let closing: [Int: Int]

    /// The condition that `text` spells; `name` is what messages call the text.
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
        // A parenthesis may add a level for each of ||, && and !.
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
            // The parentheses of what is negated are no level of their own.
            if isNot, parser.beginsSum || !parser.skip(.open) { return .not(try parser.negation()) }
            let condition = try parser.closedCondition()
            return isNot ? .not(condition) : condition
        }
    }

    /// Reads a condition and the parenthesis that closes it.
    package mutating func closedCondition() throws(ExpressionError) -> ConditionNode {
        let condition = try disjunction()
        guard skip(.close) else { throw expected("&&, || or )") }
        return condition
    }

    /// Reads what is one level deeper.
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

    /// Whether a parenthesis is next that holds a number and no condition: what stands behind it calculates or compares.
    private var beginsSum: Bool {
        guard current.kind == .sign(.open), let end = closing[position] else { return false }
        let next = tokens[end + 1]
        guard case .sign(let sign) = next.kind else { return next.isWord("between") }
        return sign.arithmetic != nil || Comparison(rawValue: sign.rawValue) != nil
    }

    // MARK: Tokens

    package var current: ExpressionToken { tokens[position] }

    /// Where the last passed token ends.
    package var passedEnd: Int { position > 0 ? tokens[position - 1].range.upperBound : 0 }

    /// The next token, which is passed; the end stays.
    package mutating func take() -> ExpressionToken {
        let token = current
        if token.kind != .end { position += 1 }
        return token
    }

    /// Passes the next token if it is this sign.
    package mutating func skip(_ sign: ExpressionSign) -> Bool {
        guard current.kind == .sign(sign) else { return false }
        position += 1
        return true
    }

    /// Passes the next token if it is this word.
    package mutating func skip(word: String) -> Bool {
        guard current.isWord(word) else { return false }
        position += 1
        return true
    }

    /// The token after the next.
    package var following: ExpressionToken? { position + 1 < tokens.count ? tokens[position + 1] : nil }

    /// Whether the token after the next is this sign.
    package func isFollowed(by sign: ExpressionSign) -> Bool { following?.kind == .sign(sign) }

    /// The error for something else than what has to be next.
    package func expected(_ what: String) -> ExpressionError {
        source.error(at: current.range, "expected \(what), found \(current.description)")
    }
}
