/// Fields that are read from the keys of an index alone, without a look at the records.
///
/// A covered field is one of the index or of the id. Single entries may still need their record: those whose values were
/// truncated, and values that a key does not tell exactly.
struct IndexCover {
    /// Where a field's key lies, and what it holds.
    private struct Part {
        let isOfID: Bool
        let number: Int
        let type: FieldType
    }

    private let index: OpenIndex
    private let type: OpenType
    private let places: [Int]
    private let wanted: [Part]

    /// Nil when the index, with the id, does not hold all of the fields at `places`.
    init?(_ index: OpenIndex, of type: OpenType, places: [Int]) {
        var wanted: [Part] = []
        for place in places {
            let fieldType = type.type.fields[place].type
            if !index.isMultiple, let number = index.parts.firstIndex(where: { $0.place == place }) {
                wanted.append(Part(isOfID: false, number: number, type: fieldType))
            } else if let number = type.idParts.firstIndex(where: { $0.place == place }) {
                wanted.append(Part(isOfID: true, number: number, type: fieldType))
            } else {
                return nil
            }
        }
        self.index = index
        self.type = type
        self.places = places
        self.wanted = wanted
    }

    /// The values of the wanted fields in the record of an entry; nil when only the record tells them.
    func values(key: RawSpan, data: RawSpan) throws(CodecError) -> [DynamicValue]? {
        try withFields(key: key, data: data) { fields, ranges throws(CodecError) in
            var values: [DynamicValue] = []
            values.reserveCapacity(wanted.count)
            for (part, range) in zip(wanted, ranges) {
                values.append(try DynamicValue(from: fields.extracting(range), as: part.type))
            }
            return values
        }
    }

    /// The field table of a record in which only the wanted fields are filled in; nil when only the record tells them.
    func table(key: RawSpan, data: RawSpan) throws(CodecError) -> [UInt8]? {
        try withFields(key: key, data: data) { fields, ranges throws(CodecError) in
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: type.type.fields.count)
            for place in type.type.fields.indices {
                let number = places.firstIndex(of: place)
                encoder.append(encoded: fields.extracting(number.map { ranges[$0] } ?? 0..<0))
            }
            try encoder.finish()
            return encoder.bytes.array()
        }
    }

    /// Calls `body` with the encoded fields that keys hold, and where in them the wanted ones lie.
    private func withFields<T>(
        key: RawSpan, data: RawSpan, _ body: (RawSpan, [Range<Int>]) throws(CodecError) -> T
    ) throws(CodecError) -> T? {
        let recordKey = try IndexEntry.recordKey(key: key, data: data)
        let value = try IndexEntry.value(key: key, data: data)
        guard value.byteCount < KeyLimit.indexValue, recordKey.byteCount < KeyLimit.recordKey else { return nil }
        var fields = ByteWriter(capacity: 64)
        guard
            let own = try ranges(index.parts, value, isOfID: false, &fields),
            let ids = try ranges(type.idParts, recordKey, isOfID: true, &fields)
        else { return nil }
        return try body(fields.bytes, wanted.map { ($0.isOfID ? ids : own)[$0.number] })
    }

    /// Decodes the parts of a key up to the last one that is wanted, and tells where each lies in `fields`.
    private func ranges(
        _ parts: [KeyPart], _ key: RawSpan, isOfID: Bool, _ fields: inout ByteWriter
    ) throws(CodecError) -> [Range<Int>]? {
        let last = wanted.filter { $0.isOfID == isOfID }.map(\.number).max() ?? -1
        var ranges: [Range<Int>] = []
        var offset = 0
        for number in 0..<last + 1 {
            let start = fields.count
            let part = parts[number]
            let type = type.type.fields[part.place].type
            guard try part.component.appendField(of: type, from: key, at: &offset, to: &fields) else { return nil }
            ranges.append(start..<fields.count)
        }
        return ranges
    }
}
