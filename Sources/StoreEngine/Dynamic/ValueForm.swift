/// The form in which values are written as JSON.
package enum ValueForm: Sendable {
    /// The form that programs expect: a field that holds JSON is written as that JSON.
    case plain
    /// The form of traces, which preserves all bytes.
    ///
    /// A field that holds JSON is written as that JSON or as `{"raw":"…"}` with its text. It is written as `raw` in these cases:
    ///
    /// - This library would write the JSON with other bytes. For example, Foundation writes `\u001b` where this library writes
    ///   `\u001B`.
    /// - The JSON nests more than 128 levels deep.
    /// - The JSON is itself an object with the one member `raw`.
    /// - The JSON is `null` in an optional field, in which `null` is no value.
    case exact
    /// The form of exports, which preserves all bytes. It differs from ``exact`` in the name of the member, `$json`, because
    /// people import JSON of their own, and that can have a member `raw`.
    case export
}

extension ValueForm {
    /// The member that holds JSON as text; nil in the form that does not preserve it.
    private var key: String? {
        switch self {
        case .plain: nil
        case .exact: "raw"
        case .export: "$json"
        }
    }
    /// The greatest depth of JSON that is written as it is. A reader can then read a line that contains it.
    private static let maximumDepth = 128

    /// Returns the JSON form of a field that holds JSON text.
    func json(ofText text: String) -> JSONValue {
        guard key != nil else { return (try? JSONReader.read(text)) ?? .string(text) }
        guard let value = try? JSONReader.read(text, maximumDepth: Self.maximumDepth), raw(value) == nil,
            JSONWriter.bytes(of: value).elementsEqual(text.utf8)
        else { return wrapped(text) }
        return value
    }

    /// Returns the JSON form of the value of an optional field, from the JSON form of the value itself.
    func json(ofOptional value: JSONValue) -> JSONValue { value == .null && key != nil ? wrapped("null") : value }

    /// Returns the JSON text of a field, from a result of ``json(ofText:)``.
    ///
    /// - Throws: ``CodecError`` if an export holds a text that is not JSON.
    func text(of json: JSONValue) throws(CodecError) -> String {
        guard let raw = raw(json) else { return JSONWriter.text(of: json) }
        if case .export = self {
            do {
                _ = try JSONReader.read(raw)
            } catch {
                throw CodecError("takes JSON in $json, found \"\(RecordText.shortened(raw))\"")
            }
        }
        return raw
    }

    private func wrapped(_ text: String) -> JSONValue { .object([JSONMember(key ?? "", .string(text))]) }

    private func raw(_ json: JSONValue) -> String? {
        guard case .object(let members) = json, members.count == 1, members[0].key == key else { return nil }
        return members[0].value.string
    }
}
