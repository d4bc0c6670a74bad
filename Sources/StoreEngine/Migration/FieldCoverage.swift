/// How much of what a stored type holds a program has that declares another one and reads the same bytes.
///
/// A struct inside may hold more in the store than is declared, behind the declared fields: reading these goes by their
/// places, and writing keeps the others, see ``PartialForm``.
package enum FieldCoverage: Sendable {
    /// All of it.
    case whole
    /// A part.
    case partial

    /// nil where a program that declares this cannot read or write the stored values.
    init?(_ stored: FieldType, declared: FieldType) {
        if stored == declared {
            self = .whole
            return
        }
        switch (stored, declared) {
        case (.optional(let stored), .optional(let declared)), (.array(let stored), .array(let declared)):
            self.init(stored, declared: declared)
        case (.set(let stored), .set(let declared)):
            // Elements that differ in what is not declared would be one to the program.
            guard FieldCoverage(stored, declared: declared) == .whole else { return nil }
            self = .whole
        case (.dictionary(let storedKey, let stored), .dictionary(let declaredKey, let declared)):
            guard FieldCoverage(storedKey, declared: declaredKey) == .whole else { return nil }
            self.init(stored, declared: declared)
        case (.embedded(let stored), .embedded(let declared)): self.init(stored, declared: declared)
        default: return nil
        }
    }

    private init?(_ stored: EmbeddedSchema, declared: EmbeddedSchema) {
        var isWhole = stored.fields.count == declared.fields.count
        for (place, field) in declared.fields.enumerated() {
            guard FieldMatch.index(of: field, among: stored.fields, besides: declared.fields) == place,
                let coverage = FieldCoverage(stored.fields[place].type, declared: field.type)
            else { return nil }
            if coverage == .partial { isWhole = false }
        }
        guard stored.fields.dropFirst(declared.fields.count).allSatisfy({ $0.fillingBytes(now: nil) != nil }) else {
            return nil
        }
        self = isWhole ? .whole : .partial
    }
}
