/// Reads fields from the keys of an index alone, without the records.
///
/// A covered field is a field of the index or of the id. A single entry may still need its record, if its value was truncated, or
/// if its key does not determine the value exactly. This is a class, because a walk uses it for each entry.
final class IndexCover: Sendable {
    /// A part of a key to decode.
    private struct Part {
        let component: KeyComponent
        let type: FieldType
        /// The bits that the key encoding of a 64-bit integer flips. Nil for other kinds, which take longer to decode.
        let wordMask: UInt64?

        init(_ component: KeyComponent, _ type: FieldType) {
            self.component = component
            self.type = type
            wordMask =
                switch component {
                case .signed(8): 1 << 63
                case .unsigned(8): 0
                default: nil
                }
        }
    }

    /// The parts of an index value up to the last wanted one, then the parts of a record key.
    private let parts: [Part]
    /// The number of elements of `parts` that belong to the index value.
    private let valuePartCount: Int
    /// For each wanted field, the index in `parts` from which it is decoded.
    private let wanted: [Int]
    /// For each declared field, the index in `parts` from which it is decoded; -1 for other fields.
    let slots: [Int32]

    /// Returns nil if the index, with the id, does not contain all of the fields at `fieldIndexes`.
    ///
    /// - Parameter declared: the field indexes in the order in which a program declares the fields; nil to use the type's own
    ///   order.
    init?(_ index: OpenIndex, of type: OpenType, fieldIndexes: [Int], declared: [Int32]? = nil) {
        guard Self.isCover(index, of: type, fieldIndexes: fieldIndexes) else { return nil }
        let inIndex = index.isMultiple ? nil : index.parts.lastIndex { fieldIndexes.contains($0.fieldIndex) }
        let values = index.parts.prefix(inIndex.map { $0 + 1 } ?? 0)
        let inID = type.idParts.lastIndex { part in
            fieldIndexes.contains(part.fieldIndex) && !values.contains { $0.fieldIndex == part.fieldIndex }
        }
        let decoded = values + type.idParts.prefix(inID.map { $0 + 1 } ?? 0)
        valuePartCount = values.count
        parts = decoded.map { Part($0.component, type.type.fields[$0.fieldIndex].type) }
        wanted = fieldIndexes.map { fieldIndex in decoded.firstIndex { $0.fieldIndex == fieldIndex } ?? 0 }
        let (declared, wanted) = (declared ?? type.type.fields.indices.map { Int32($0) }, wanted)
        slots = declared.map { fieldIndex in
            fieldIndexes.firstIndex(of: Int(fieldIndex)).map { Int32(wanted[$0]) } ?? -1
        }
    }

    /// Returns whether the index, with the id, contains all of the fields at `fieldIndexes`.
    static func isCover(_ index: OpenIndex, of type: OpenType, fieldIndexes: [Int]) -> Bool {
        fieldIndexes.allSatisfy { fieldIndex in
            !index.isMultiple && index.parts.contains { $0.fieldIndex == fieldIndex }
                || type.idParts.contains { $0.fieldIndex == fieldIndex }
        }
    }

    /// Decodes the fields from the key of an entry, in the order that ``slots`` describes.
    ///
    /// - Returns: false if only the record determines the fields.
    func decode(key: RawSpan, data: RawSpan, to fields: inout CoveredFields) throws(CodecError) -> Bool {
        let recordKey = try IndexEntry.recordKey(key: key, data: data)
        let value = try IndexEntry.value(key: key, data: data)
        guard value.byteCount < KeyLimit.indexValue, recordKey.byteCount < KeyLimit.recordKey else { return false }
        fields.begin(count: parts.count)
        guard try decode(0..<valuePartCount, of: value, to: &fields) else { return false }
        return try decode(valuePartCount..<parts.count, of: recordKey, to: &fields)
    }

    private func decode(
        _ numbers: Range<Int>, of key: RawSpan, to fields: inout CoveredFields
    ) throws(CodecError) -> Bool {
        var offset = 0
        for number in numbers {
            if let mask = parts[number].wordMask {
                fields.append(try key.loadInteger(at: offset, as: UInt64.self).byteSwapped ^ mask, number: number)
                offset += 8
            } else {
                let part = parts[number]
                let isDecoded = try fields.append(part.component, of: part.type, from: key, at: &offset, number: number)
                if !isDecoded { return false }
            }
        }
        return true
    }

    /// Returns the values of the wanted fields, from a table that ``decode(key:data:to:)`` made.
    func values(_ table: FieldTable) throws(CodecError) -> [DynamicValue] {
        var values: [DynamicValue] = []
        values.reserveCapacity(wanted.count)
        for number in wanted { values.append(try DynamicValue(from: table.field(number), as: parts[number].type)) }
        return values
    }
}
