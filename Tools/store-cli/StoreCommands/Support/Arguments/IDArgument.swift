import StoreEngine

/// An id on the command line. An id of one field is a text. An id of several fields is their texts with commas between them, or a
/// JSON array if a part contains a comma.
enum IDArgument {
    /// The help text of the commands.
    static let help = "The record's id; for a composite id, its parts separated by commas, or a JSON array."

    /// Returns the values of the id's fields.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    static func parse(_ text: String, of type: OpenType) throws -> [DynamicValue] {
        guard type.idParts.count > 1 else { return try DynamicID.parse([text], of: type) }
        guard text.hasPrefix("[") else {
            return try DynamicID.parse(
                text.split(separator: ",", omittingEmptySubsequences: false).map(String.init), of: type)
        }
        guard let elements = (try? JSONReader.read(text))?.array else {
            let shown = RecordText.shortened(text)
            throw CommandFailure(.badData, "the id \(shown) is not a JSON array; write [\"a,b\", 3]")
        }
        guard elements.count == type.idParts.count else {
            return try DynamicID.parse(elements.map { JSONWriter.text(of: $0) }, of: type)
        }
        var values: [DynamicValue] = []
        for (json, part) in zip(elements, type.idParts) {
            let field = type.type.fields[part.fieldIndex]
            do {
                values.append(try DynamicValue(json: json, as: field.type))
            } catch {
                throw StoreError(.invalidValue, "\(type.name).\(field.name) \(error.reason)", cause: error)
            }
        }
        return values
    }

    /// Returns the id of a record as messages name it.
    static func text(_ id: [DynamicValue]) -> String {
        RecordText.list(id.map(\.text))
    }

    /// Returns the failure for an id without a record.
    static func notFound(_ id: [DynamicValue], _ type: OpenType) -> StoreError {
        StoreError(
            .recordNotFound, "there is no \(type.name) with the id \(text(id))",
            remedy: "list the records with `store-cli query \(type.name)`")
    }
}
