package import StoreEngine

/// Encodes the fields of rows as records, and reports the rows that cannot be records.
package struct RowEncoder {
    private let types: [RecordType]
    private let typeIndexes: [String: Int]
    private let only: Int?
    /// For CSV: the field index in the type for each column.
    private let fieldIndexes: [Int]

    /// Creates an encoder for rows that name their type, one of `types`.
    init(types: [RecordType]) {
        self.types = types
        typeIndexes = Dictionary(types.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        only = nil
        fieldIndexes = []
    }

    /// Creates an encoder for rows of one type. If the rows have columns, `columns` names their fields.
    package init(type: RecordType, columns: [String]?, input: String) throws {
        types = [type]
        typeIndexes = [:]
        only = 0
        var fieldIndexes: [Int] = []
        for column in columns ?? [] {
            guard let fieldIndex = type.fieldIndex(named: column) else {
                let suggestion = Suggestion.text(for: column, among: type.fields.map(\.name))
                throw CommandFailure(
                    .badData,
                    "\(input), line 1: \(type.name) has no field \(column)\(suggestion); nothing was imported")
            }
            fieldIndexes.append(fieldIndex)
        }
        try CSVHeader.requireDistinct(columns ?? [], input: input)
        self.fieldIndexes = fieldIndexes
    }

    /// Returns the row's encoded fields and the index of its type.
    package func encode(_ row: ImportRow) throws -> (type: Int, bytes: [UInt8]) {
        let typeIndex = try typeIndex(of: row)
        let type = types[typeIndex]
        do throws(CodecError) {
            let values =
                switch row.content {
                case .members(let members): try RecordInput.values(members, of: type)
                case .cells(let cells): try self.values(cells, of: type)
                }
            var writer = ByteWriter()
            try EncodedFields.append(values, of: type, to: &writer)
            return (typeIndex, writer.array())
        } catch {
            throw ImportMistake(line: row.line, reason: error.reason)
        }
    }

    /// Returns the type with an index that ``encode(_:)`` returned.
    func type(at typeIndex: Int) -> RecordType { types[typeIndex] }

    private func typeIndex(of row: ImportRow) throws -> Int {
        if let only { return only }
        let name = row.type ?? ""
        if let typeIndex = typeIndexes[name] { return typeIndex }
        let suggestion = Suggestion.text(for: name, among: types.map(\.name))
        throw ImportMistake(
            line: row.line, reason: "the store has no record type \(RecordText.name(name))\(suggestion)")
    }

    private func values(_ cells: [CSVField], of type: RecordType) throws(CodecError) -> [DynamicValue] {
        var given: [DynamicValue?] = Array(repeating: nil, count: type.fields.count)
        for (cell, fieldIndex) in zip(cells, fieldIndexes) {
            do {
                given[fieldIndex] = try CSVValue.value(of: cell, as: type.fields[fieldIndex].type)
            } catch {
                throw CodecError("\(type.fields[fieldIndex].name): \(error.reason)")
            }
        }
        var values: [DynamicValue] = []
        values.reserveCapacity(given.count)
        for (fieldIndex, value) in given.enumerated() {
            if let value {
                values.append(value)
            } else {
                values.append(try missing(type.fields[fieldIndex], at: fieldIndex, of: type))
            }
        }
        return values
    }

    /// Returns the value of a field whose column is empty or missing.
    private func missing(
        _ field: StoredField, at fieldIndex: Int, of type: RecordType
    ) throws(CodecError) -> DynamicValue {
        if RecordInput.assignedField(of: type) == field.name { return try DynamicValue(json: 0, as: field.type) }
        let hasColumn = fieldIndexes.contains(fieldIndex)
        if hasColumn, !field.type.isOptional, field.schema.defaultValue == nil, CSVValue.takesEmptyText(field.type) {
            return try DynamicValue(text: "", as: field.type)
        }
        return try DynamicFields.missing(field.schema)
    }
}

/// The first line of a CSV file.
enum CSVHeader {
    /// Fails if two columns have the same name.
    static func requireDistinct(_ columns: [String], input: String) throws {
        var seen: Set<String> = []
        for column in columns where !seen.insert(column).inserted {
            throw CommandFailure(
                .badData, "\(input), line 1: there are two columns \(column); nothing was imported")
        }
    }
}
