/// The text of records and ids in messages.
package enum RecordText {
    /// Returns the id of a record: one value, or several in parentheses.
    package static func id(_ record: RawSpan, _ type: OpenType) -> String { values(of: type.idParts, record, type) }

    /// Returns the values of the fields of an id or an index: one value, or several in parentheses.
    static func values(of parts: [KeyPart], _ record: RawSpan, _ type: OpenType) -> String {
        do {
            let values = try DynamicRecord(unverified: record, of: type).values
            return list(parts.map { values[$0.fieldIndex].text })
        } catch {
            return "?"
        }
    }

    /// Returns one text as it is, or several in parentheses. Long texts are shortened.
    package static func list(_ texts: [String]) -> String {
        let shortened = texts.map(shortened)
        return shortened.count == 1 ? shortened[0] : "(" + shortened.joined(separator: ", ") + ")"
    }

    /// Returns `text`, with “…” in place of its middle if it has more than 80 characters. The rest of a message then stays in
    /// sight. Both ends distinguish long ids better than the beginning alone.
    package static func shortened(_ text: String) -> String {
        let limit = 80
        guard text.count > limit else { return text }
        return text.prefix(limit / 2) + "…" + text.suffix(limit / 2 - 1)
    }
}
