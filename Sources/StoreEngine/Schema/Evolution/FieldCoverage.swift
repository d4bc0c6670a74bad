/// How much of what a stored type holds a program has that declares another one and reads the same bytes.
///
/// A struct inside may hold more in the store than is declared, behind the declared fields: reading these goes by their
/// places, and writing keeps the others, see ``PartialForm``.
package enum FieldCoverage: Int, Sendable {
    /// All of it.
    case whole
    /// A part; a write finds the rest again by fields and keys.
    case partial
    /// A part, also of elements of arrays: which of these was which before a write can be told only where they are equal.
    case partialElements

    /// nil where a program that declares this cannot read or write the stored values.
    init?(_ stored: FieldType, declared: FieldType) {
        guard let coverage = FieldCoverage.between(stored, declared) else { return nil }
        self = coverage
    }

    private static func between(_ stored: FieldType, _ declared: FieldType) -> FieldCoverage? {
        if stored == declared { return .whole }
        switch (stored, declared) {
        case (.optional(let stored), .optional(let declared)): return between(stored, declared)
        case (.array(let stored), .array(let declared)):
            return between(stored, declared).map { $0 == .whole ? .whole : .partialElements }
        case (.set(let stored), .set(let declared)):
            // Elements that differ in what is not declared would be one to the program.
            return between(stored, declared) == .whole ? .whole : nil
        case (.dictionary(let storedKey, let stored), .dictionary(let declaredKey, let declared)):
            return between(storedKey, declaredKey) == .whole ? between(stored, declared) : nil
        case (.embedded(let stored), .embedded(let declared)): return between(stored, declared)
        default: return nil
        }
    }

    private static func between(_ stored: EmbeddedSchema, _ declared: EmbeddedSchema) -> FieldCoverage? {
        var least = stored.fields.count == declared.fields.count ? FieldCoverage.whole : .partial
        for (fieldIndex, field) in declared.fields.enumerated() {
            guard FieldMatch.index(of: field, among: stored.fields, besides: declared.fields) == fieldIndex,
                let coverage = between(stored.fields[fieldIndex].type, field.type)
            else { return nil }
            if coverage.rawValue > least.rawValue { least = coverage }
        }
        let isFilled = stored.fields.dropFirst(declared.fields.count).allSatisfy { $0.fillingBytes(now: nil) != nil }
        return isFilled ? least : nil
    }
}
