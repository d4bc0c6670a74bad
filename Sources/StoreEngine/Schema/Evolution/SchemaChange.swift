/// One difference between a record type of a store and what it is to become.
package enum SchemaChange: Hashable, Sendable, CustomStringConvertible {
    /// A field that records so far are read with `missing` in.
    case addField(String, FieldType)
    /// Another name for a field.
    case renameField(from: String, to: String)
    /// Another type for a field; whether every value fits it.
    case changeType(String, from: FieldType, to: FieldType, isLossless: Bool)
    /// Names for the cases of a field's enum.
    case nameCases(String)
    /// A field that the program does not declare and that becomes optional, so that records can do without it.
    case relaxField(String, FieldType)
    /// A field that goes, with its values.
    case dropField(String, FieldType)
    /// Another default for a field.
    case changeDefault(String)
    /// Another rule for what becomes of a record when one that it refers to is deleted.
    case changeDeleteRule(String, DeleteRule)
    /// An index that has to be built.
    case addIndex(String)
    /// An index whose keys change with its fields.
    case rebuildIndex(String)
    /// An index that goes.
    case dropIndex(String)

    package var description: String {
        switch self {
        case .addField(let name, let type): "add the field \(name): \(type)"
        case .renameField(let old, let new): "rename the field \(old) to \(new)"
        case .changeType(let name, let old, let new, let isLossless):
            "change the field \(name) from \(old) to \(new)" + (isLossless ? "" : ", where all values fit")
        case .nameCases(let name): "note what the cases of the field \(name) are called"
        case .relaxField(let name, let type):
            "make the field \(name): \(type) optional, since it is not declared any more"
        case .dropField(let name, let type): "drop the field \(name): \(type) and its values"
        case .changeDefault(let name): "change the default of the field \(name)"
        case .changeDeleteRule(let name, let rule): "change the delete rule of the field \(name) to \(rule.rawValue)"
        case .addIndex(let index): "add the \(index)"
        case .rebuildIndex(let index): "rebuild the \(index)"
        case .dropIndex(let index): "drop the \(index)"
        }
    }
}
