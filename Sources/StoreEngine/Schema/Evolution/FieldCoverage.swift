/// The part of a stored type that a program's declared type covers, if the program reads the stored bytes as they are.
///
/// In the store, a struct inside the type may have more fields, after the declared fields. The program reads the declared fields
/// by their field indexes, and a write keeps the other fields; see ``PartialForm``.
package enum FieldCoverage: Int, Sendable {
    /// The program covers all of the type.
    case whole
    /// The program covers a part. A write finds the rest by fields and keys.
    case partial
    /// The program covers a part, also of the elements of arrays. A write has to infer which element was which before; see
    /// ``ElementMatch``.
    case partialElements

    /// Creates the coverage; nil if a program with the declared type cannot read or write the stored values.
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
            // The program would see elements as equal that differ only in fields that it does not declare.
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
