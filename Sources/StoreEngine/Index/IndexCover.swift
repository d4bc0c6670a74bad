/// Fields that are read from the keys of an index alone, without a look at the records.
///
/// A covered field is one of the index or of the id. Single entries may still need their record: those whose values were
/// truncated, and values that a key does not tell exactly. A class, as a walk takes it for each entry.
final class IndexCover: Sendable {
    /// A part of a key that is decoded.
    private struct Part {
        let component: KeyComponent
        let type: FieldType
        /// The bits that the key of a 64-bit integer turns around; nil for other kinds, which take longer to tell.
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

    /// The parts of a value part up to the last one that is wanted, then those of a record key.
    private let parts: [Part]
    /// How many of `parts` are those of the value part.
    private let valuePartCount: Int
    /// For each wanted field, as which of `parts` it is decoded.
    private let wanted: [Int]
    /// For each declared field, as which of `parts` it is decoded; -1 for others.
    let slots: [Int32]

    /// Nil when the index, with the id, does not hold all of the fields at `fieldIndexes`.
    ///
    /// - Parameter declared: the places of the fields as a program declares them; nil where these are the type's own.
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

    /// Whether the index, with the id, holds all of the fields at `fieldIndexes`.
    static func isCover(_ index: OpenIndex, of type: OpenType, fieldIndexes: [Int]) -> Bool {
        fieldIndexes.allSatisfy { fieldIndex in
            !index.isMultiple && index.parts.contains { $0.fieldIndex == fieldIndex }
                || type.idParts.contains { $0.fieldIndex == fieldIndex }
        }
    }

    /// Takes what is decoded from the key of an entry, in the order that ``slots`` is for.
    ///
    /// - Returns: false when only the record tells the fields.
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
                let isTold = try fields.append(part.component, of: part.type, from: key, at: &offset, number: number)
                if !isTold { return false }
            }
        }
        return true
    }

    /// The values of the wanted fields, from a table that ``decode(key:data:to:)`` made.
    func values(_ table: FieldTable) throws(CodecError) -> [DynamicValue] {
        var values: [DynamicValue] = []
        values.reserveCapacity(wanted.count)
        for number in wanted { values.append(try DynamicValue(from: table.field(number), as: parts[number].type)) }
        return values
    }
}
