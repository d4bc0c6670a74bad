/// Ids as dynamic values: one for each field of the id, in the order of the id's fields.
package enum DynamicID {
    /// Appends the untruncated record key of an id.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when a value does not match its field.
    package static func encodeKey(
        _ id: [DynamicValue], of type: OpenType, to key: inout ByteWriter
    ) throws(StoreError) {
        guard id.count == type.idParts.count else {
            throw StoreError(
                .invalidValue, "the id of \(type.name) has \(type.idParts.count) parts, but \(id.count) were given",
                remedy: "give \(names(type)), separated by commas")
        }
        do {
            for (value, part) in zip(id, type.idParts) {
                var bytes = ByteWriter()
                try value.encode(as: type.type.fields[part.fieldIndex].type, to: &bytes)
                try part.component.append(bytes.bytes, to: &key)
            }
        } catch {
            throw StoreError(.invalidValue, "the id of \(type.name): \(error.reason)", cause: error)
        }
    }

    /// Parses an id from its texts on a command line.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when a text does not match its field.
    package static func parse(_ texts: [String], of type: OpenType) throws(StoreError) -> [DynamicValue] {
        guard texts.count == type.idParts.count else {
            throw StoreError(
                .invalidValue, "the id of \(type.name) has \(type.idParts.count) parts, but \(texts.count) were given",
                remedy: "give \(names(type)), separated by commas")
        }
        var values: [DynamicValue] = []
        for (text, part) in zip(texts, type.idParts) {
            let field = type.type.fields[part.fieldIndex]
            do {
                values.append(try DynamicValue(text: text, as: field.type))
            } catch {
                throw StoreError(.invalidValue, "\(type.name).\(field.name) \(error.reason)", cause: error)
            }
        }
        return values
    }

    /// Returns the names of the id's fields.
    package static func names(_ type: OpenType) -> String {
        type.idParts.map { type.type.fields[$0.fieldIndex].name }.joined(separator: ", ")
    }
}
