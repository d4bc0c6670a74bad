/// The ranges of one field's keys that a condition allows. No record with a key outside of them can meet the condition.
struct ConditionRanges {
    let type: RecordType
    let part: KeyPart

    /// Returns the ranges of the field's keys in records that may meet the condition.
    func ranges(_ node: ConditionNode) -> KeyRanges {
        switch node {
        case .constant(let value): return value ? .all : .none
        case .comparison(let name, let comparison, let value):
            return isOwn(name) ? ranges(comparison, value) : .all
        case .membership(let name, let values):
            guard isOwn(name) else { return .all }
            var result: [KeyRange] = []
            result.reserveCapacity(values.count)
            let (fieldType, mayBeNone) = (type.fields[part.fieldIndex].type, isOptional)
            // Two buffers for all values.
            var key = ByteWriter(capacity: 64)
            var scratch = ByteWriter(capacity: 64)
            for value in Self.inOrder(values) where mayBeNone || value != .none {
                guard let bytes = self.key(of: value, as: fieldType, &key, &scratch) else { return .all }
                result.append(.prefixed(by: bytes, isPoint: true))
            }
            return KeyRanges(result)
        case .text(let name, let test, let pattern, let options):
            guard isOwn(name), options.isEmpty else { return .all }
            switch test {
            case .equals: return key(ofText: pattern).map { KeyRanges([.prefixed(by: $0, isPoint: true)]) } ?? .all
            case .startsWith: return prefixRanges(pattern)
            case .contains, .endsWith: return .all
            }
        case .and(let parts): return parts.reduce(.all) { $0.intersection(ranges($1)) }
        case .or(let parts): return .union(of: parts.map { ranges($0) })
        case .not(let part): return ranges(notIn: part)
        case .found(let found): return found.isExcluded ? .all : ranges(found)
        case .fieldComparison, .arithmetic, .element, .elements, .size, .inverse, .invalid: return .all
        }
    }

    /// Returns values in the order of their keys if they are integers, which most ids are. The walk of a request with many ids
    /// then finds their keys one after the other in memory.
    private static func inOrder(_ values: [DynamicValue]) -> [DynamicValue] {
        var integers: [Int64] = []
        integers.reserveCapacity(values.count)
        for value in values {
            guard case .int(let integer) = value else { return values }
            integers.append(integer)
        }
        integers.sort()
        return integers.map { .int($0) }
    }

    /// Returns the ranges for the opposite of a condition.
    private func ranges(notIn node: ConditionNode) -> KeyRanges {
        switch node {
        case .constant(let value): return value ? .none : .all
        case .not(let part): return ranges(part)
        case .and(let parts): return .union(of: parts.map { ranges(notIn: $0) })
        case .or(let parts): return parts.reduce(.all) { $0.intersection(ranges(notIn: $1)) }
        case .found(let found): return found.isExcluded ? ranges(found) : .all
        case .comparison(let name, let comparison, let value):
            guard isOwn(name), value != .none else { return .all }
            // None is not less than any value, so it belongs to the opposite of `<`. The same holds for the other comparisons.
            let none = isOptional ? KeyRanges([.prefixed(by: [0], isPoint: true)]) : .none
            switch comparison {
            case .equal: return .all
            case .notEqual: return ranges(.equal, value)
            case .less: return KeyRanges.union(of: [ranges(.greaterOrEqual, value), none])
            case .lessOrEqual: return KeyRanges.union(of: [ranges(.greater, value), none])
            case .greater: return KeyRanges.union(of: [ranges(.lessOrEqual, value), none])
            case .greaterOrEqual: return KeyRanges.union(of: [ranges(.less, value), none])
            }
        default: return .all
        }
    }

    private var isOptional: Bool { type.fields[part.fieldIndex].type.isOptional }

    func isOwn(_ name: FieldName) -> Bool {
        name.single.map { type.isField(part.fieldIndex, named: $0) } ?? false
    }

    private func ranges(_ comparison: Comparison, _ value: DynamicValue) -> KeyRanges {
        if value == .none, comparison.isOrdering { return .none }
        // The keys of all values.
        if value == .none, comparison == .notEqual { return isOptional ? KeyRanges([.prefixed(by: [1])]) : .all }
        if value == .none, !isOptional { return .none }
        guard let key = key(of: value) else { return .all }
        // The keys of all values, without the key of none.
        let values = isOptional ? KeyRange.prefixed(by: [1]) : .all
        let range: KeyRange
        switch comparison {
        case .equal: return KeyRanges([.prefixed(by: key, isPoint: true)])
        case .notEqual: return .all
        case .less: range = KeyRange(lower: [], upper: key)
        case .lessOrEqual: range = KeyRange(lower: [], upper: KeyRange.successor(of: key))
        case .greater:
            guard let next = KeyRange.successor(of: key) else { return .none }
            range = KeyRange(lower: next, upper: nil)
        case .greaterOrEqual: range = KeyRange(lower: key, upper: nil)
        }
        return KeyRanges([range.intersection(values)])
    }

    private func prefixRanges(_ pattern: String) -> KeyRanges {
        guard var key = key(ofText: pattern) else { return .all }
        // Remove the two bytes that mark the end of a text.
        key.removeLast(2)
        let range = KeyRange.prefixed(by: key)
        return KeyRanges([isOptional ? range.intersection(.prefixed(by: [1])) : range])
    }

    /// Returns the part of a key that a value makes; nil when the value does not match the field's type.
    private func key(of value: DynamicValue) -> [UInt8]? { key(of: value, as: type.fields[part.fieldIndex].type) }

    /// Returns the part of a key that a text makes, even if it is not a case of the field's enum; nil when the field does not
    /// hold texts.
    private func key(ofText text: String) -> [UInt8]? {
        let rawType = type.fields[part.fieldIndex].type.unwrapped.rawType
        guard rawType == .string else { return nil }
        return key(of: .string(text), as: isOptional ? .optional(rawType) : rawType)
    }

    private func key(of value: DynamicValue, as type: FieldType) -> [UInt8]? {
        var key = ByteWriter(capacity: 64)
        var scratch = ByteWriter(capacity: 64)
        return self.key(of: value, as: type, &key, &scratch)
    }

    private func key(
        of value: DynamicValue, as type: FieldType, _ key: inout ByteWriter, _ scratch: inout ByteWriter
    ) -> [UInt8]? {
        key.removeAll()
        do {
            try part.append(value, as: type, to: &key, scratch: &scratch)
            return key.array()
        } catch {
            return nil
        }
    }
}

extension KeyPart {
    /// Appends the part of a key that a value of the field makes.
    ///
    /// - Parameter scratch: a buffer.
    /// - Throws: ``CodecError`` when the value does not match the field's type.
    func append(
        _ value: DynamicValue, as type: FieldType, to key: inout ByteWriter, scratch: inout ByteWriter
    ) throws(CodecError) {
        // Most ids have this type, which needs no second buffer.
        if case .int64 = type, case .int(let number) = value { return number.encodeKey(to: &key) }
        scratch.removeAll()
        try value.encode(as: type, to: &scratch)
        try component.append(scratch.bytes, to: &key)
    }
}
