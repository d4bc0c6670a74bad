/// The text of records and ids in messages.
package enum RecordText {
    /// Returns the id of a record: one value, or several in parentheses.
    package static func id(_ record: RawSpan, _ type: OpenType) -> String { values(of: type.idParts, record, type) }

    /// Returns the ids of two records with different ids, as texts that differ.
    static func differentIDs(_ first: RawSpan, _ second: RawSpan, _ type: OpenType) -> (first: String, second: String) {
        guard let first = texts(of: type.idParts, first, type), let second = texts(of: type.idParts, second, type)
        else {
            return ("?", "?")
        }
        let shown = zip(first, second).map(shortenedDifferently)
        return (joined(shown.map { $0.first }), joined(shown.map { $0.second }))
    }

    /// Returns the values of the fields of an id or an index: one value, or several in parentheses.
    static func values(of parts: [KeyPart], _ record: RawSpan, _ type: OpenType) -> String {
        texts(of: parts, record, type).map(list) ?? "?"
    }

    private static func texts(of parts: [KeyPart], _ record: RawSpan, _ type: OpenType) -> [String]? {
        guard let values = try? DynamicRecord(unverified: record, of: type).values else { return nil }
        return parts.map { values[$0.fieldIndex].text }
    }

    /// Returns one text as it is, or several in parentheses. Long texts are shortened.
    package static func list(_ texts: [String]) -> String { joined(texts.map(shortened)) }

    private static func joined(_ texts: [String]) -> String {
        texts.count == 1 ? texts[0] : "(" + texts.joined(separator: ", ") + ")"
    }

    /// Returns `text`, with “…” in place of its middle if it has more than 80 characters. The rest of a message then stays in
    /// sight. Both ends distinguish long ids better than the beginning alone.
    package static func shortened(_ text: String) -> String {
        let limit = 80
        guard text.count > limit else { return text }
        return text.prefix(limit / 2) + "…" + text.suffix(limit / 2 - 1)
    }

    /// Returns a name for a message: in quotes if a reader would see nothing of it, otherwise as it is.
    package static func name(_ name: String) -> String { DisplayText.isBlank(name) ? "\"\(name)\"" : name }

    /// Returns two texts shortened. Texts with the same ends are cut around the first character in which they differ.
    package static func shortenedDifferently(_ first: String, _ second: String) -> (first: String, second: String) {
        let ends = (shortened(first), shortened(second))
        guard ends.0 == ends.1 else { return ends }
        let (context, limit) = (15, 40)
        let common = zip(first, second).prefix { $0 == $1 }.count
        func cut(_ text: String) -> String {
            let rest = text.dropFirst(common - context)
            return "\(text.prefix(context))…\(rest.prefix(limit))\(rest.count > limit ? "…" : "")"
        }
        return first == second ? ends : (cut(first), cut(second))
    }
}
