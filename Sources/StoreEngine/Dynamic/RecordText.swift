/// Records and ids as messages show them.
package enum RecordText {
    /// The id of a record: one value, or several in parentheses.
    package static func id(_ record: RawSpan, _ type: OpenType) -> String { values(of: type.idParts, record, type) }

    /// The values of an id's or an index's fields: one value, or several in parentheses.
    static func values(of parts: [KeyPart], _ record: RawSpan, _ type: OpenType) -> String {
        do {
            let values = try DynamicRecord(unverified: record, of: type).values
            return list(parts.map { values[$0.fieldIndex].text })
        } catch {
            return "?"
        }
    }

    /// One value with this text, or several in parentheses.
    package static func list(_ texts: [String]) -> String {
        let shortened = texts.map(shortened)
        return shortened.count == 1 ? shortened[0] : "(" + shortened.joined(separator: ", ") + ")"
    }

    /// `text` with “…” in place of its middle where it is long: what a message says before and after it must stay in
    /// sight, and both ends tell long ids apart better than the beginning alone.
    package static func shortened(_ text: String) -> String {
        let limit = 80
        guard text.count > limit else { return text }
        return text.prefix(limit / 2) + "…" + text.suffix(limit / 2 - 1)
    }
}
