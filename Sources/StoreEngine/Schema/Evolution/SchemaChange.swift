/// One step of the change from a record type of a store to its new form.
package enum SchemaChange: Hashable, Sendable, CustomStringConvertible {
    /// Adds a field. Reads of older records use the field's `missing` bytes (``StoredField/missing``).
    case addField(String, FieldType)
    /// Renames a field.
    case renameField(from: String, to: String)
    /// Changes the type of a field. `isLossless` says whether the new type can hold every value.
    case changeType(String, from: FieldType, to: FieldType, isLossless: Bool)
    /// Stores names for the cases of a field's enum.
    case nameCases(String)
    /// Makes an undeclared field optional, so that records can omit it.
    case relaxField(String, FieldType)
    /// Drops a field and its values.
    case dropField(String, FieldType)
    /// Changes the default of a field.
    case changeDefault(String)
    /// Changes the delete rule of a reference.
    case changeDeleteRule(String, DeleteRule)
    /// Adds an index, which must then be built.
    case addIndex(String)
    /// Rebuilds an index whose keys change with its fields.
    case rebuildIndex(String)
    /// Drops an index.
    case dropIndex(String)

    package var description: String {
        switch self {
        case .addField(let name, let type): "add the field \(name): \(type)"
        case .renameField(let old, let new): "rename the field \(old) to \(new)"
        case .changeType(let name, let old, let new, let isLossless):
            "change the field \(name) from \(old) to \(new)" + (isLossless ? "" : ", if all values fit")
        case .nameCases(let name): "record the case names of the field \(name)"
        case .relaxField(let name, let type):
            "make the field \(name): \(type) optional, because it is no longer declared"
        case .dropField(let name, let type): "drop the field \(name): \(type) and its values"
        case .changeDefault(let name): "change the default of the field \(name)"
        case .changeDeleteRule(let name, let rule): "change the delete rule of the field \(name) to \(rule.rawValue)"
        case .addIndex(let index): "add the \(index)"
        case .rebuildIndex(let index): "rebuild the \(index)"
        case .dropIndex(let index): "drop the \(index)"
        }
    }
}
