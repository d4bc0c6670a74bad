/// A field of a changed record, with its values before and after the change.
public struct FieldChange: Hashable, Sendable {
    /// The field's name, as it is called now.
    public let name: String
    package let beforeValue: JSONValue
    package let afterValue: JSONValue

    /// The value before the change as JSON; `null` for none.
    public var beforeJSON: String { JSONWriter.text(of: beforeValue) }

    /// The value after the change as JSON; `null` for none.
    public var afterJSON: String { JSONWriter.text(of: afterValue) }
}

extension RecordChange {
    /// The fields in which the record differs, with both values, in the order of ``changedFields``; for another record under
    /// the same id those that differ between the two, in the order of the schema. Empty where there is no record on one side.
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
