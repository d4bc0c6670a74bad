import StoreEngine
import StoreExpressions

/// The columns that `--aggregate` requests for each group: `count,sum:celsius`.
enum AggregateList {
    /// One column of the result.
    enum Column {
        case count
        case term(AggregateTerm, FieldType)
    }

    /// Returns the columns that `text` names.
    ///
    /// - Throws: ``ExpressionError``, also for fields that have no sum or order.
    static func columns(
        _ text: String, of type: OpenType, in catalog: Catalog, named name: String
    ) throws(ExpressionError) -> [Column] {
        var parser = try ExpressionParser(
            text, of: type.type, among: catalog.types.map(\.type), named: name)
        var found: [Column] = []
        repeat {
            let token = parser.take()
            guard let word = token.word?.lowercased(),
                word == "count" || AggregateTerm.Kind(rawValue: word) != nil
            else {
                let kinds = AggregateTerm.Kind.allCases.map { "\($0.rawValue):field" }.joined(separator: ", ")
                throw parser.source.error(
                    at: token.range, "expected count or one of \(kinds), found \(token.description)")
            }
            found.append(
                try AggregateTerm.Kind(rawValue: word).map { kind throws(ExpressionError) in
                    try term(kind, &parser, type, catalog)
                } ?? .count)
        } while parser.skip(.comma)
        guard parser.current.kind == .end else { throw parser.expected("a comma or the end") }
        return found
    }

    private static func term(
        _ kind: AggregateTerm.Kind, _ parser: inout ExpressionParser, _ type: OpenType, _ catalog: Catalog
    ) throws(ExpressionError) -> Column {
        guard parser.skip(.colon) else { throw parser.expected("a colon and a field") }
        let token = parser.take()
        guard case .name(let parts) = token.kind else {
            throw parser.source.error(at: token.range, "expected a field, found \(token.description)")
        }
        let field = try ExpressionField(parts, of: type.type, among: parser.targets, in: parser.source)
        let term = AggregateTerm(kind, field.name)
        do {
            return .term(term, try term.resultType(for: type, in: catalog))
        } catch {
            throw parser.source.error(
                at: token.range, "\(field.name.text) is \(field.type), which has no \(kind.rawValue)")
        }
    }
}
