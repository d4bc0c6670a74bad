import StoreCommands
import StoreEngine

/// Encodes the records of an import, and decodes them again.
struct EncodedRecord {
    let type: RecordType

    init(_ type: RecordType) { self.type = type }

    /// Returns the encoded fields of a line of JSON; nil if the import refuses it.
    func encoded(json: [UInt8]) throws -> [UInt8]? {
        do {
            return try encoded(
                JSONRows.row(json, line: 1, namesTypes: false), RowEncoder(type: type, columns: nil, input: "input"))
        } catch is ImportMistake {
            return nil
        }
    }

    /// Returns the encoded fields of a row; nil if the import refuses it.
    func encoded(_ row: ImportRow, _ encoder: RowEncoder) throws -> [UInt8]? {
        do {
            return try encoder.encode(row).bytes
        } catch is ImportMistake {
            return nil
        }
    }

    /// Returns the record with these encoded fields.
    func decoded(_ bytes: [UInt8]) throws -> DynamicRecord {
        var reader = unsafe ByteReader(bytes.span.bytes)
        var values: [DynamicValue] = []
        for field in type.fields { values.append(try DynamicValue(from: reader.readLengthPrefixed(), as: field.type)) }
        return DynamicRecord(values: values)
    }

    /// Returns the cells of CSV for a record with these encoded fields.
    func texts(_ bytes: [UInt8]) throws -> [String?] {
        zip(try decoded(bytes).values, type.fields).map { CSVValue.text(of: $0, as: $1.type) }
    }
}
