package import StoreEngine

/// The records of a type that refer to the current record, written `inverse(Book.author)`, or to a record that it refers to,
/// written `author.inverse(Book.author)`.
package struct ExpressionInverse {
    package let name: InverseName
    /// The type of the referring records.
    package let type: RecordType
    /// How many references lead to these records, including this one.
    package let hopCount: Int

    /// The condition that no record refers to the current one.
    package var isEmpty: ConditionNode { .inverse(name, .constant(true), .equal, 0) }
}

/// The argument of `count`.
package enum ExpressionCount {
    /// The elements, characters or bytes of a field.
    case elements(ExpressionField)
    /// The records that refer to the current record and satisfy a condition.
    case referrers(ExpressionInverse, ConditionNode)

    /// The text for messages.
    package var text: String {
        switch self {
        case .elements(let field): "count(\(field.name.text))"
        case .referrers(let inverse, _): "count(\(inverse.name.text))"
        }
    }

    /// Returns the comparison of the count with a number.
    package func condition(_ comparison: Comparison, _ number: Int) -> ConditionNode {
        switch self {
        case .elements(let field): .size(field.name, comparison, number)
        case .referrers(let inverse, let condition): .inverse(inverse.name, condition, comparison, number)
        }
    }
}

extension ExpressionParser {
    /// Whether the next token begins an inverse.
    package var beginsInverse: Bool {
        guard isFollowed(by: .open), case .name(let parts) = current.kind, let last = parts.last else { return false }
        return !last.isQuoted && last.text.lowercased() == "inverse"
    }

    /// Reads `inverse(Type.field)`, which may follow a path of references.
    package mutating func inverse() throws(ExpressionError) -> ExpressionInverse {
        let word = take()
        let (path, target, hopCount) = try inversePath(word)
        try source.requireReachable(hopCount + 1, at: word.range)
        _ = take()
        let range = current.range
        guard case .name(let parts) = current.kind, parts.count == 2 else {
            throw expected("a record type and a field of it, such as Book.author")
        }
        guard let source = targets.first(where: { $0.name == parts[0].text }) else {
            let nearest = NearestName.find(parts[0].text, among: targets.map(\.name))
            let remedy = nearest.map { "; did you mean \($0)?" } ?? ""
            throw self.source.error(
                at: parts[0].range, "there is no record type \(RecordText.shortened(parts[0].text))\(remedy)")
        }
        let field = try ExpressionField([parts[1]], of: source, among: targets, in: self.source)
        guard field.type.reference?.target == target else {
            throw self.source.error(at: range, "\(source.name).\(field.name.text) does not refer to \(target)")
        }
        _ = take()
        guard skip(.close) else { throw expected(")") }
        return ExpressionInverse(
            name: InverseName(path: path, type: source.name, field: parts[1].text), type: source,
            hopCount: hopCount + 1)
    }

    /// Returns the path before `inverse`, the name of the type that the path leads to, and the number of references in it.
    private func inversePath(
        _ token: ExpressionToken
    ) throws(ExpressionError) -> (path: FieldName, target: String, hopCount: Int) {
        guard case .name(let parts) = token.kind, parts.count > 1 else {
            // If the elements are references, the path leads to the record that the element refers to.
            if let reference = type.element?.reference { return (FieldName([]), reference.target, hopCount + 1) }
            return (FieldName([]), type.name, hopCount)
        }
        let field = try ExpressionField(
            Array(parts.dropLast()), of: type, among: targets, behind: hopCount, in: source)
        guard case .reference(let target, _) = field.type.unwrapped else {
            throw source.error(
                at: token.range, "\(field.name.text) is \(field.type), which does not refer to a single record")
        }
        return (field.name, target, field.hopCount + 1)
    }

    /// Reads a test of the records that refer to the current record; nil if the next token begins none.
    mutating func test(_ inverse: ExpressionInverse) throws(ExpressionError) -> ConditionNode? {
        if skip(word: "isEmpty") { return inverse.isEmpty }
        for test in ElementTest.allCases where current.isWord(test.rawValue) && isFollowed(by: .open) {
            let range = take().range
            _ = take()
            let condition = try self.condition(of: inverse.type, behind: inverse.hopCount, at: range) {
                parser throws(ExpressionError) in
                try parser.closedCondition()
            }
            switch test {
            case .any: return .inverse(inverse.name, condition, .greaterOrEqual, 1)
            case .all: return .inverse(inverse.name, .not(condition), .equal, 0)
            }
        }
        return nil
    }

    /// Reads the argument of `count`.
    mutating func count() throws(ExpressionError) -> ExpressionCount {
        let range = take().range
        _ = take()
        guard beginsInverse else {
            let field = try fieldInParentheses("count")
            guard field.isCounted else {
                throw source.error(
                    at: range, "count takes a text, data or a collection, but \(field.name.text) is \(field.type)")
            }
            return .elements(field)
        }
        let inverse = try inverse()
        if skip(.close) { return .referrers(inverse, .constant(true)) }
        guard skip(word: "where") else { throw expected("where or )") }
        return .referrers(
            inverse,
            try condition(of: inverse.type, behind: inverse.hopCount, at: range) { parser throws(ExpressionError) in
                try parser.closedCondition()
            })
    }
}
