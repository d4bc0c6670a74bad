extension FieldType {
    /// Returns the type that a stored field of this type gets when a program declares `declared`.
    ///
    /// A struct inside the type keeps the fields that only the store has, after the declared fields. Such a field becomes
    /// optional if it needs a value. The elements of a set and the keys of a dictionary do not keep such fields: a program could
    /// see elements as equal that differ only there. The caller uses a conversion between the types to find out whether the
    /// values are valid in the result.
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

    /// Returns whether a struct inside this type declares a newer name for a field than the store has.
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

    /// Returns the index of the field with this name, or else of the field that had this name before.
    func fieldIndex(named name: String) -> Int? {
        fields.firstIndex { $0.name == name } ?? fields.firstIndex { $0.renamedFrom.contains(name) }
    }
}

extension FieldSchema {
    /// Returns whether a stored field must take the name that this field declares.
    func isNewName(for stored: FieldSchema) -> Bool {
        // A program from before a rename knows the field by its old name, and the store keeps the new name.
        stored.name != name && renamedFrom.contains(stored.name)
    }

    /// The field in a form that a program without it can omit.
    fileprivate var withoutNeed: FieldSchema {
        fillingBytes(now: nil) == nil ? with(type: .optional(type), defaultValue: nil) : self
    }
}
