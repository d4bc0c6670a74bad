/// How values are written as JSON.
package enum ValueForm: Sendable {
    /// As programs expect them: a field that holds JSON is that JSON.
    case plain
    /// So that all bytes come back. A field that holds JSON is `{"raw":"…"}`, with its text, where this library would write that
    /// otherwise, as Foundation does (`\u001b` for `\u001B`), or where it nests deep; and where it is an object that looks so.
    case exact
}

extension ValueForm {
    private static let key = "raw"
    /// How deep JSON may nest to stand as it is, so that a line that holds it can be read.
    private static let maximumDepth = 128

    /// What stands for a field that holds JSON text.
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

    /// The JSON text that stands in a field, from what ``json(ofText:)`` gave.
    func text(of json: JSONValue) -> String {
        if case .exact = self, let raw = Self.raw(json) { return raw }
        return JSONWriter.text(of: json)
    }

    private static func raw(_ json: JSONValue) -> String? {
        guard case .object(let members) = json, members.count == 1, members[0].key == key else { return nil }
        return members[0].value.string
    }
}
