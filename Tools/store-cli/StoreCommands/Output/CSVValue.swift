package import StoreEngine

/// Converts field values to CSV and back: plain text for scalar values, JSON for compound ones. Written values read back
/// unchanged.
package enum CSVValue {
    /// Returns the CSV text of `value`; nil for no value.
    package static func text(of value: DynamicValue, as type: FieldType) -> String? {
        if case .none = value { return nil }
        let json = value.json(as: type.unwrapped, .export)
        switch type.unwrapped.rawType {
        case .array, .set, .dictionary, .embedded, .optional, .json: return JSONWriter.text(of: json)
        case .float, .double, .date, .url: return json.string ?? JSONWriter.text(of: json)
        default: return value.text
        }
    }

    /// Returns the value of a field. Returns nil if the field is empty and the record should get the field's default.
    ///
    /// - Throws: ``CodecError``.
    static func value(of field: CSVField, as type: FieldType) throws(CodecError) -> DynamicValue? {
        let wrapped = type.unwrapped
        if field.text.isEmpty, takesEmptyText(wrapped.rawType) {
            // Programs that never quote mean an empty text where the type requires one.
            return field.isQuoted ? try DynamicValue(text: "", as: wrapped) : nil
        }
        if field.text.isEmpty { return nil }
        if case .url = wrapped.rawType, field.text.hasPrefix("{") {
            return try DynamicValue(json: json(field.text, wrapped), as: wrapped, .export)
        }
        if case .optional = wrapped { return try DynamicValue(json: json(field.text, wrapped), as: wrapped, .export) }
        return try DynamicValue(text: field.text, as: wrapped, .export)
    }

    static func takesEmptyText(_ type: FieldType) -> Bool { type == .string || type == .data }

    private static func json(_ text: String, _ type: FieldType) throws(CodecError) -> JSONValue {
        do {
            return try JSONReader.read(text)
        } catch {
            throw CodecError("takes \(type), found \"\(RecordText.shortened(text))\"")
        }
    }
}
