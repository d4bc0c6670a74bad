import Foundation

/// A group of records with equal values in the fields that the request groups by, without Swift types.
package struct DynamicGroup: Sendable {
    /// The group's value for each of these fields.
    package let key: [DynamicValue]
    /// The number of records.
    package let count: Int
    /// The results of the requested aggregates.
    package let values: [DynamicValue]
}

extension ReadContext {
    /// Returns the groups of a request's records, in the order of their keys. Without fields, all records form one group.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field that has no sum or order; `tooLarge` when a sum is
    ///   out of range. The limit for integers is 64 bits.
    package func dynamicGroups(
        _ request: Request, by fields: [FieldName], _ terms: [AggregateTerm], typeIndex: Int
    ) throws(StoreError) -> [DynamicGroup] {
        let type = state.catalog.types[typeIndex]
        let types = try terms.map { term throws(StoreError) in try term.resultType(for: type, in: catalog) }
        let key = try GroupKey(fields, of: type, in: catalog)
        var keys: [[DynamicValue]] = []
        var groups = try groups(request, by: fields, terms, typeIndex: typeIndex) { cursor throws(StoreError) in
            keys.append(try cursor.values(key))
        }
        if groups.isEmpty, fields.isEmpty {
            groups = [RecordGroup(number: 0, key: [], termCount: terms.count)]
            keys = [[]]
        }
        return try groups.map { group throws(StoreError) in
            var values: [DynamicValue] = []
            for (number, term) in terms.enumerated() {
                values.append(try term.value(group.states[number], as: types[number]))
            }
            return DynamicGroup(key: keys[group.number], count: group.count, values: values)
        }
    }
}

extension AggregateTerm {
    /// Returns the type of the aggregate's result for records of `type`.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` for a field that has no sum or order.
    package func resultType(for type: OpenType, in catalog: Catalog) throws(StoreError) -> FieldType {
        let fieldType = try CompiledAggregate(self, of: type, in: catalog).fieldType
        switch kind {
        case .min, .max: return .optional(fieldType)
        case .average:
            return switch NumberKind(fieldType) {
            case .decimal: .optional(.decimal)
            case .duration: .optional(.duration)
            default: .optional(.double)
            }
        case .sum:
            return switch NumberKind(fieldType) {
            case .signed: .int64
            case .unsigned: .uint64
            case .decimal: .decimal
            case .duration: .duration
            default: .double
            }
        }
    }

    fileprivate func value(_ state: AggregateState, as type: FieldType) throws(StoreError) -> DynamicValue {
        switch kind {
        case .average:
            if state.count == 0 { return .none }
            let mean: DynamicValue? =
                switch type.unwrapped {
                case .decimal: Decimal.mean(state.sum, count: state.count).map { .decimal($0) }
                case .duration: Duration.mean(state.sum, count: state.count).map { .duration($0) }
                default: Double.mean(state.sum, count: state.count).map { .double($0) }
                }
            guard let mean else { throw StoreError(tooLargeSumOf: field, type.unwrapped) }
            return mean
        case .sum:
            let sum: DynamicValue? =
                switch type {
                case .int64: Int64(state.sum).map { .int($0) }
                case .uint64: UInt64(state.sum).map { .uint($0) }
                case .decimal: Decimal(state.sum).map { .decimal($0) }
                case .duration: Duration(state.sum).map { .duration($0) }
                default: Double(state.sum).map { .double($0) }
                }
            guard let sum else { throw StoreError(tooLargeSumOf: field, type) }
            return sum
        case .min, .max:
            guard let best = state.best else { return .none }
            do {
                return unsafe try DynamicValue(from: best.value.span.bytes, as: type.unwrapped)
            } catch {
                throw StoreError(error, at: "the \(kind.rawValue) of \(field)")
            }
        }
    }
}
