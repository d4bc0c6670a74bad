/// A field of a changed record, with its values before and after the change.
public struct FieldChange: Hashable, Sendable {
    /// The current name of the field.
    public let name: String
    package let beforeValue: JSONValue
    package let afterValue: JSONValue

    /// The value before the change as JSON; `null` for none.
    public var beforeJSON: String { JSONWriter.text(of: beforeValue) }

    /// The value after the change as JSON; `null` for none.
    public var afterJSON: String { JSONWriter.text(of: afterValue) }
}

extension RecordChange {
    /// Returns the fields in which the record differs, with both values.
    ///
    /// For an update, the fields come in the order of ``changedFields``. For a replacement, these are the fields that differ
    /// between the two records, in the order of the schema. For other kinds the list is empty, because one of the states has no
    /// record.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    public func fieldChanges() throws(StoreError) -> [FieldChange] {
        guard kind == .update || kind == .replace, let type, let old = try before(), let new = try after() else {
            return []
        }
        let names = kind == .update ? changedFields : type.type.fields.map(\.name)
        return names.compactMap { name in
            let change = FieldChange(name: name, beforeValue: old[name] ?? .null, afterValue: new[name] ?? .null)
            return kind == .update || change.beforeValue != change.afterValue ? change : nil
        }
    }
}
