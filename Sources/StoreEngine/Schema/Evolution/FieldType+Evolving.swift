extension FieldType {
    /// What a stored field of this type comes to hold when a program declares `declared`.
    ///
    /// Fields that a struct inside has in the store and not in the program stay, behind those that are declared; one that
    /// needs a value becomes optional. In the elements of a set, and in keys, they do not stay: without them elements that
    /// are different could be equal. A conversion between the types tells whether values fit.
    package func evolved(to declared: FieldType) -> FieldType { evolved(to: declared, keepsUndeclared: true) }

    fileprivate func evolved(to declared: FieldType, keepsUndeclared: Bool) -> FieldType {
        switch (self, declared) {
        case (.optional(let stored), .optional(let declared)):
            .optional(stored.evolved(to: declared, keepsUndeclared: keepsUndeclared))
        case (.optional, _): declared
        case (_, .optional(let declared)): .optional(evolved(to: declared, keepsUndeclared: keepsUndeclared))
        case (.array(let stored), .array(let declared)):
            .array(stored.evolved(to: declared, keepsUndeclared: keepsUndeclared))
        case (.set(let stored), .set(let declared)): .set(stored.evolved(to: declared, keepsUndeclared: false))
        case (.dictionary(let storedKey, let stored), .dictionary(let declaredKey, let declared)):
            .dictionary(
                storedKey.evolved(to: declaredKey, keepsUndeclared: false),
                stored.evolved(to: declared, keepsUndeclared: keepsUndeclared))
        case (.embedded(let stored), .embedded(let declared)):
            .embedded(stored.evolved(to: declared, keepsUndeclared: keepsUndeclared))
        default: declared
        }
    }

    /// Whether a struct inside declares a newer name for a field than it has in the store.
    func hasNewNames(for stored: FieldType) -> Bool {
        if stored == self { return false }
        switch (stored, self) {
        case (.optional(let stored), .optional(let own)), (.array(let stored), .array(let own)),
            (.set(let stored), .set(let own)):
            return own.hasNewNames(for: stored)
        case (.dictionary(let storedKey, let stored), .dictionary(let ownKey, let own)):
            return ownKey.hasNewNames(for: storedKey) || own.hasNewNames(for: stored)
        case (.embedded(let stored), .embedded(let own)):
            return own.fields.contains { field in
                guard let fieldIndex = FieldMatch.index(of: field, among: stored.fields, besides: own.fields) else {
                    return false
                }
                return field.isNewName(for: stored.fields[fieldIndex])
                    || field.type.hasNewNames(for: stored.fields[fieldIndex].type)
            }
        default: return false
        }
    }
}

extension EmbeddedSchema {
    fileprivate func evolved(to declared: EmbeddedSchema, keepsUndeclared: Bool) -> EmbeddedSchema {
        var undeclared = Set(fields.indices)
        var evolved: [FieldSchema] = []
        for field in declared.fields {
            guard let fieldIndex = FieldMatch.index(of: field, among: fields, besides: declared.fields) else {
                evolved.append(field)
                continue
            }
            undeclared.remove(fieldIndex)
            let stored = fields[fieldIndex]
            let type = stored.type.evolved(to: field.type, keepsUndeclared: keepsUndeclared)
            let taken = stored.with(type: type, defaultValue: field.defaultValue(as: type))
            evolved.append(
                field.isNewName(for: stored)
                    ? taken.with(name: field.name, renamedFrom: FieldMatch.earlierNames(of: field, inStore: stored))
                    : taken)
        }
        guard keepsUndeclared else { return EmbeddedSchema(fields: evolved) }
        return EmbeddedSchema(fields: evolved + undeclared.sorted().map { fields[$0].withoutNeed })
    }

    /// The place of the field that has this name, or else had it before.
    func fieldIndex(named name: String) -> Int? {
        fields.firstIndex { $0.name == name } ?? fields.firstIndex { $0.renamedFrom.contains(name) }
    }
}

extension FieldSchema {
    /// Whether a stored field is to get the name that this one declares.
    func isNewName(for stored: FieldSchema) -> Bool {
        // A program from before a renaming knows the field by its old name; the store keeps the new one.
        stored.name != name && renamedFrom.contains(stored.name)
    }

    /// The field as one that a program which does not know it can do without.
    fileprivate var withoutNeed: FieldSchema {
        fillingBytes(now: nil) == nil ? with(type: .optional(type), defaultValue: nil) : self
    }
}
