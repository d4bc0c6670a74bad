package import StoreEngine
package import StoreExpressions
import StoreRuntime

extension TraceRequest {
    /// The text form of a request; nil if parsing the text does not give the same request again.
    ///
    /// - Parameters:
    ///   - key: the request of a live query.
    ///   - types: all record types.
    init?(_ key: LiveKey, among types: [RecordType]) {
        let request = key.request
        guard let type = types.first(where: { $0.name == key.typeName }), request.position == nil, !request.isDistinct,
            request.fields == nil
        else { return nil }
        condition = request.condition.text
        order = request.order.map { ($0.isDescending ? "-" : "") + $0.field.text }.joined(separator: ",")
        limit = request.limit
        offset = request.offset
        fields = key.fields.map { fields in
            let fieldIndexes = fields.fieldIndexes(in: type)
            return type.fields.indices.filter(fieldIndexes.contains).map { type.fields[$0].name }
        }
        guard let again = try? self.request(of: type, among: types), again == request else { return nil }
    }

    /// Returns the request that the text describes. The text may use the names that fields had when it was written.
    ///
    /// - Throws: ``ExpressionError``.
    package func request(of type: RecordType, among types: [RecordType]) throws(ExpressionError) -> Request {
        var request = Request()
        if condition != "true" {
            request.condition = try ExpressionParser.condition(
                condition, of: type, among: types, named: "where", allowsEarlierNames: true)
        }
        if !order.isEmpty {
            request.order = try FieldList.order(
                order, of: type, among: types, named: "sort", allowsEarlierNames: true)
        }
        request.limit = limit
        request.offset = offset
        return request
    }

    /// Returns the fields whose changes are delivered; nil for all.
    ///
    /// - Throws: ``TraceMistake`` for an unknown field.
    func fields(in type: RecordType) throws(TraceMistake) -> LiveFields? {
        guard let fields else { return nil }
        var fieldIndexes: [Int] = []
        for name in fields {
            guard let fieldIndex = type.fieldIndex(named: name) else {
                throw TraceMistake("\(type.name) has no field \(name)")
            }
            fieldIndexes.append(fieldIndex)
        }
        return LiveFields(FieldIndexSet(fieldIndexes), of: type)
    }
}
