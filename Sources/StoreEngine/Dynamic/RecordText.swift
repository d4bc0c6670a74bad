/// Records and ids as messages show them.
package enum RecordText {
    /// The id of a record: one value, or several in parentheses.
    package static func id(_ record: RawSpan, _ type: OpenType) -> String {
        do {
            let values = try DynamicRecord(unverified: record, of: type).values
            let texts = type.idParts.map { values[$0.place].text }
            return texts.count == 1 ? texts[0] : "(" + texts.joined(separator: ", ") + ")"
        } catch {
            return "?"
        }
    }
}
