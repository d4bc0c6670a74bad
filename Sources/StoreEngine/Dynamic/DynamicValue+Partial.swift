// Values of programs that know only the first fields of an embedded struct in the store, see ``FieldCoverage``.
extension DynamicValue {
    /// Returns the value with a fill value in each embedded field that only the store has.
    func completed(as type: FieldType) throws(CodecError) -> DynamicValue {
        switch (self, type.unwrapped) {
        case (.fields(let values), .embedded(let schema)):
            var completed: [DynamicValue] = []
            for (fieldIndex, field) in schema.fields.enumerated() {
                if fieldIndex < values.count {
                    completed.append(try values[fieldIndex].completed(as: field.type))
                } else {
                    let bytes = field.fillingBytes(now: nil) ?? []
                    completed.append(unsafe try DynamicValue(from: bytes.span.bytes, as: field.type))
                }
            }
            return .fields(completed)
        case (.list(let values), .array(let element)):
            return .list(try values.map { (value) throws(CodecError) in try value.completed(as: element) })
        case (.pairs(let pairs), .dictionary(_, let value)):
            return .pairs(
                try pairs.map { (pair) throws(CodecError) in
                    DynamicPair(key: pair.key, value: try pair.value.completed(as: value))
                })
        default: return self
        }
    }

    /// Returns whether a program reads this stored value as `value`.
    func isSeen(as value: DynamicValue) -> Bool {
        switch (self, value) {
        case (.fields(let fields), .fields(let seen)):
            seen.count <= fields.count && zip(fields, seen).allSatisfy { $0.isSeen(as: $1) }
        case (.list(let elements), .list(let seen)):
            seen.count == elements.count && zip(elements, seen).allSatisfy { $0.isSeen(as: $1) }
        case (.pairs(let pairs), .pairs(let seen)):
            seen.count == pairs.count
                && zip(pairs, seen).allSatisfy { $0.key == $1.key && $0.value.isSeen(as: $1.value) }
        default: self == value
        }
    }
}
