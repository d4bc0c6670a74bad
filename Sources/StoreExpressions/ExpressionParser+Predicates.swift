package import StoreEngine

// Conditions that do not contain other conditions.
extension ExpressionParser {
    package mutating func predicate() throws(ExpressionError) -> ConditionNode {
        if current.isWord("isEmpty"), isFollowed(by: .open) {
            let range = take().range
            _ = take()
            guard beginsInverse else { return try isEmpty(fieldInParentheses("isEmpty"), at: range) }
            let inverse = try inverse()
            guard skip(.close) else { throw expected(")") }
            return inverse.isEmpty
        }
        let left = try sum()
        if let (comparison, range) = comparison() {
            if isTextOptions, let options = try textOptions() {
                guard comparison == .equal || comparison == .notEqual else {
                    throw source.error(at: range, "\(comparison.rawValue) takes no options, but == and != do")
                }
                let condition = try text(.equals, options, of: field(left, before: comparison.rawValue), at: range)
                return comparison == .equal ? condition : .not(condition)
            }
            return try compare(left, comparison, sum(isValue: true))
        }
        let isNegated = skip(word: "not")
        guard let condition = try test(left) else {
            if isNegated { throw expected("in, between, contains, startsWith, endsWith, equals, any or all") }
            return try bare(left)
        }
        guard isNegated else { return condition }
        // The negation of an empty text is a text that differs from "".
        if case .comparison(let field, .equal, let value) = condition { return .comparison(field, .notEqual, value) }
        return .not(condition)
    }

    /// Reads a test that begins with its name; nil if the next token begins none.
    private mutating func test(_ left: ExpressionOperand) throws(ExpressionError) -> ConditionNode? {
        let range = current.range
        if case .inverse(let inverse) = left.kind { return try test(inverse) }
        if skip(word: "between") {
            let low = try sum(isValue: true)
            guard skip(word: "and") else { throw expected("and") }
            let high = try sum(isValue: true)
            return .and([try compare(left, .greaterOrEqual, low), try compare(left, .lessOrEqual, high)])
        }
        if skip(word: "in") { return try membership(field(left, before: "in")) }
        if skip(word: "isEmpty") { return try isEmpty(field(left, before: "isEmpty"), at: range) }
        if skip(word: "contains") {
            let field = try field(left, before: "contains")
            let options = try textOptions()
            guard options == nil, let element = field.elementType else {
                return try text(.contains, options ?? [], of: field, at: range)
            }
            return try self.element(of: field, element)
        }
        for test in ElementTest.allCases where current.isWord(test.rawValue) && isFollowed(by: .open) {
            return try elements(test, of: field(left, before: test.rawValue), at: range)
        }
        for test in [TextTest.startsWith, .endsWith, .equals] where skip(word: test.rawValue) {
            let field = try field(left, before: test.rawValue)
            return try text(test, textOptions() ?? [], of: field, at: range)
        }
        return nil
    }

    /// Returns a condition without an operator.
    private func bare(_ operand: ExpressionOperand) throws(ExpressionError) -> ConditionNode {
        switch operand.kind {
        case .literal(.bool(let value)): return .constant(value)
        case .field(let field) where field.valueType == .bool: return .comparison(field.name, .equal, .bool(true))
        case .inverse(let inverse): throw expected("any, all or isEmpty after \(inverse.name.text)")
        default: throw expected("an operator such as == after \(operand.description)")
        }
    }

    private func field(_ operand: ExpressionOperand, before word: String) throws(ExpressionError) -> ExpressionField {
        if case .field(let field) = operand.kind { return field }
        throw source.error(at: operand.range, "expected a field before \(word), found \(operand.description)")
    }

    // MARK: Comparisons

    /// Reads the sign of a comparison.
    private mutating func comparison() -> (Comparison, Range<Int>)? {
        guard case .sign(let sign) = current.kind, let comparison = Comparison(rawValue: sign.rawValue) else {
            return nil
        }
        return (comparison, take().range)
    }

    private func compare(
        _ left: ExpressionOperand, _ comparison: Comparison, _ right: ExpressionOperand
    ) throws(ExpressionError) -> ConditionNode {
        switch (left.kind, right.kind) {
        case (.field(let field), .literal(let literal)):
            let isOrdering = comparison != .equal && comparison != .notEqual
            if isOrdering, literal == .null {
                throw source.error(at: right.range, "null has no order; compare it with == or !=")
            }
            if literal != .null { try requireComparable(field, at: left.range) }
            return .comparison(field.name, comparison, try value(literal, at: right.range, for: field))
        case (.size(let counted), .literal(let literal)):
            let count = try value(literal, at: right.range, as: .int64, subject: counted.text)
            guard case .int(let number) = count else { throw expected("an integer") }
            return counted.condition(comparison, Int(number))
        case (.inverse(let inverse), _):
            throw source.error(at: left.range, "\(inverse.name.text) takes any, all, isEmpty or count")
        case (_, .inverse(let inverse)):
            throw source.error(at: right.range, "\(inverse.name.text) takes any, all, isEmpty or count")
        case (.calculation, _), (_, .calculation): return try calculate(left, comparison, right)
        case (.literal, .field), (.literal, .size): return try compare(right, comparison.mirrored, left)
        case (.field(let field), .field(let other)):
            try requireComparable(field, at: left.range)
            guard field.valueType == other.valueType else {
                throw source.error(
                    at: right.range,
                    "only fields of the same type can be compared, but \(field.name.text) is \(field.type) and "
                        + "\(other.name.text) is \(other.type)")
            }
            return .fieldComparison(field.name, comparison, other.name)
        case (.size, _), (_, .size):
            throw source.error(
                at: right.range, "a count can be compared only with an integer, found \(right.description)")
        case (.literal, .literal):
            throw source.error(at: left.range, "one side of \(comparison.rawValue) must be a field")
        }
    }

    // MARK: Lists, elements and sizes

    private mutating func membership(_ field: ExpressionField) throws(ExpressionError) -> ConditionNode {
        guard skip(.openList) else { throw expected("[ and values such as [1, 2]") }
        var values: [DynamicValue] = []
        if skip(.closeList) { return .membership(field.name, values) }
        repeat {
            guard let literal = literal(current) else { throw expected("a value") }
            values.append(try value(literal, at: current.range, for: field))
            _ = take()
        } while skip(.comma)
        guard skip(.closeList) else { throw expected(", or ]") }
        return .membership(field.name, values)
    }

    private mutating func element(
        of field: ExpressionField, _ element: FieldType
    ) throws(ExpressionError) -> ConditionNode {
        guard let literal = literal(current) else { throw expected("a value") }
        let range = current.range
        let subject = "an element of \(field.name.text)"
        if literal == .null, element.isOptional {
            _ = take()
            return .element(field.name, .none)
        }
        guard element.isIndexable else {
            throw source.error(at: range, "\(subject) is \(element), which cannot be compared")
        }
        let value = try value(literal, at: range, as: element.unwrapped, subject: subject)
        _ = take()
        return .element(field.name, value)
    }

    private mutating func elements(
        _ test: ElementTest, of field: ExpressionField, at range: Range<Int>
    ) throws(ExpressionError) -> ConditionNode {
        guard let element = field.elementType else {
            throw source.error(
                at: range, "\(test.rawValue) takes an array, a set or data, but \(field.name.text) is \(field.type)")
        }
        _ = take()
        _ = take()
        let inner = RecordType(elements: element, named: "an element of \(field.name.text)")
        let condition = try self.condition(of: inner, behind: field.hopCount, at: range) {
            parser throws(ExpressionError) in
            try parser.closedCondition()
        }
        return .elements(field.name, test, condition)
    }

    /// Reads a condition on records, or elements, of another type, to which `innerHopCount` references lead.
    package mutating func condition(
        of inner: RecordType, behind innerHopCount: Int, at range: Range<Int>,
        _ read: (inout ExpressionParser) throws(ExpressionError) -> ConditionNode
    ) throws(ExpressionError) -> ConditionNode {
        let outer = (type, hopCount)
        (type, hopCount) = (inner, innerHopCount)
        defer { (type, hopCount) = outer }
        return try nested(at: range, read)
    }

    private func isEmpty(_ field: ExpressionField, at range: Range<Int>) throws(ExpressionError) -> ConditionNode {
        switch field.valueType {
        case .string: return .comparison(field.name, .equal, .string(""))
        case .data: return .comparison(field.name, .equal, .data([]))
        case _ where field.isCounted: return .size(field.name, .equal, 0)
        default:
            throw source.error(
                at: range, "isEmpty takes a text, data or a collection, but \(field.name.text) is \(field.type)")
        }
    }

    // MARK: Texts

    private mutating func text(
        _ test: TextTest, _ options: TextOptions, of field: ExpressionField, at range: Range<Int>
    ) throws(ExpressionError) -> ConditionNode {
        guard field.valueType.rawType == .string else {
            let others = test == .contains ? "a text, data, an array or a set" : "a text"
            throw source.error(
                at: range,
                "\(test.rawValue)\(options.text) takes \(options.isEmpty ? others : "a text"), but "
                    + "\(field.name.text) is \(field.type)")
        }
        guard case .text(let text) = current.kind else { throw expected("a text in quotes") }
        _ = take()
        return .text(field.name, test, text, options)
    }

    /// Whether the next token is a bracket that begins text options and not a list of values.
    private var isTextOptions: Bool {
        current.kind == .sign(.openList) && following?.word.flatMap { Self.options($0) } != nil
    }

    /// Returns the options for some letters; nil if the letters are not options.
    private static func options(_ letters: String) -> TextOptions? {
        var options: TextOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            default: return nil
            }
        }
        return options
    }

    /// Reads `[c]`, `[d]` or `[cd]`; nil if the next token is not a bracket.
    private mutating func textOptions() throws(ExpressionError) -> TextOptions? {
        guard skip(.openList) else { return nil }
        guard let options = current.word.flatMap({ Self.options($0) }) else {
            throw expected("c, d or cd, which ignore case, diacritics or both")
        }
        _ = take()
        guard skip(.closeList) else { throw expected("]") }
        return options
    }
}
