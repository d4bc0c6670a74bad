import StoreEngine

/// One value of a result: its JSON, its text in a table, and its text in CSV (nil for no value).
struct OutputCell {
    var json: JSONValue
    var text: String
    var csv: String?

    /// Creates a cell from a JSON value. Arrays and objects are JSON in all forms.
    init(_ json: JSONValue) {
        self.json = json
        switch json {
        case .null:
            text = ""
            csv = nil
        case .string(let value):
            text = value
            csv = value
        default:
            text = JSONWriter.text(of: json)
            csv = text
        }
    }

    init(_ text: String) { self.init(.string(text)) }

    init(_ number: Int) { self.init(.number(JSONNumber(number))) }

    /// Creates a cell from texts. Tables separate them with commas.
    init(_ texts: [String]) {
        self.init(.array(texts.map { .string($0) }))
        text = texts.joined(separator: ", ")
    }

    /// Creates a cell from a field of a record.
    init(_ value: DynamicValue, as type: FieldType) {
        json = value.json(as: type)
        // The other forms keep the raw value, so that an import reads it back.
        text = type.caseName(of: value) ?? value.text
        csv = CSVValue.text(of: value, as: type)
        switch type.unwrapped.rawType {
        case .array, .set, .dictionary, .embedded, .json:
            // Compound values read better as JSON than as nested punctuation of another kind.
            if value != .none { text = JSONWriter.text(of: json) }
        default: break
        }
    }
}

/// A column of a result.
struct OutputColumn {
    var name: String
    var isNumeric = false
    /// The least width in a table.
    var width = 0

    init(_ name: String, isNumeric: Bool = false, width: Int = 0) {
        self.name = name
        self.isNumeric = isNumeric
        self.width = width
    }

    /// Creates the column of a field.
    init(_ name: String, type: FieldType) {
        let raw = type.unwrapped.rawType
        self.init(
            name, isNumeric: (raw.isInteger || raw == .double || raw == .float || raw == .decimal) && !type.hasCaseNames
        )
    }

    /// Returns the columns of a record type.
    static func columns(of type: RecordType) -> [OutputColumn] {
        type.fields.map { OutputColumn($0.name, type: $0.type) }
    }
}
