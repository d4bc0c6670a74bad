/// The form in which values are written as JSON.
package enum ValueForm: Sendable {
    /// The form that programs expect: a field that holds JSON is written as that JSON.
    case plain
    /// The form that preserves all bytes.
    ///
    /// A field that holds JSON is written as that JSON or as `{"raw":"…"}` with its text. It is written as `raw` in these cases:
    ///
    /// - This library would write the JSON with other bytes. For example, Foundation writes `\u001b` where this library writes
    ///   `\u001B`.
    /// - The JSON nests more than 128 levels deep.
    /// - The JSON is itself an object with the one member `raw`.
    case exact
}

extension ValueForm {
    private static let key = "raw"
    /// The greatest depth of JSON that is written as it is. A reader can then read a line that contains it.
    private static let maximumDepth = 128

    /// Returns the JSON form of a field that holds JSON text.
    func json(ofText text: String) -> JSONValue {
        switch self {
        case .plain: return (try? JSONReader.read(text)) ?? .string(text)
        case .exact:
            guard let value = try? JSONReader.read(text, maximumDepth: Self.maximumDepth), Self.raw(value) == nil,
                JSONWriter.bytes(of: value).elementsEqual(text.utf8)
            else { return .object([JSONMember(Self.key, .string(text))]) }
            return value
        }
    }

    /// Returns the JSON text of a field, from a result of ``json(ofText:)``.
    func text(of json: JSONValue) -> String {
        if case .exact = self, let raw = Self.raw(json) { return raw }
        return JSONWriter.text(of: json)
    }

    private static func raw(_ json: JSONValue) -> String? {
        guard case .object(let members) = json, members.count == 1, members[0].key == key else { return nil }
        return members[0].value.string
    }
}
