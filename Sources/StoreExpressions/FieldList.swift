package import StoreEngine

/// Field names separated by commas: `--fields a,b` and `--sort a,-b`.
package enum FieldList {
    /// Returns the fields that `text` names.
    ///
    /// - Parameter targets: the types that references may lead to; empty if names go through no references.
    /// - Throws: ``ExpressionError``.
    package static func fields(
        _ text: String, of type: RecordType, among targets: [RecordType] = [], named name: String
    ) throws(ExpressionError) -> [ExpressionField] {
        let parser = try ExpressionParser(text, of: type, among: targets, named: name)
        return try read(parser, of: type, among: targets, allowsMinus: false).map(\.field)
    }

    /// Returns the order that `text` describes: fields, with a minus before descending ones.
    ///
    /// - Parameter allowsEarlierNames: whether fields may have the names that they had before.
    /// - Throws: ``ExpressionError``, also for fields without an order.
    package static func order(
        _ text: String, of type: RecordType, among targets: [RecordType] = [], named name: String,
        allowsEarlierNames: Bool = false
    ) throws(ExpressionError) -> [SortTerm] {
        let parser = try ExpressionParser(
            text, of: type, among: targets, named: name, allowsEarlierNames: allowsEarlierNames)
        return try read(parser, of: type, among: targets, allowsMinus: true).map {
            SortTerm($0.field.name, isDescending: $0.hasMinus)
        }
    }

    private static func read(
        _ parser: ExpressionParser, of type: RecordType, among targets: [RecordType], allowsMinus: Bool
    ) throws(ExpressionError) -> [(field: ExpressionField, hasMinus: Bool)] {
        var parser = parser
        var found: [(field: ExpressionField, hasMinus: Bool)] = []
        repeat {
            let hasMinus = allowsMinus && parser.skip(.minus)
            let token = parser.current
            guard case .name(let parts) = token.kind else { throw parser.expected("a field") }
            let field = try ExpressionField(parts, of: type, among: targets, in: parser.source)
            if found.contains(where: { $0.field.fieldIndexes == field.fieldIndexes }) {
                throw parser.source.error(at: token.range, "\(field.name.text) is named twice")
            }
            if allowsMinus, !field.valueType.isIndexable {
                throw parser.source.error(
                    at: token.range, "\(field.name.text) is \(field.type), whose values have no order")
            }
            found.append((field, hasMinus))
            _ = parser.take()
        } while parser.skip(.comma)
        guard parser.current.kind == .end else { throw parser.expected("a comma or the end") }
        return found
    }
}
