/// Collects the differences between two types of a field, down to the fields of structs inside it.
///
/// A field of a struct has a name such as `place.wing`. The elements of arrays and sets are `tags[]`. The parts of a dictionary
/// are `prices.keys` and `prices.values`.
struct TypeDifferences {
    /// The purpose of the differences.
    enum Purpose {
        /// To explain why a program cannot work with the store.
        case reported
        /// To explain why the stored type cannot become the declared type.
        case refused(SchemaEvolution.Mode)
    }

    /// The differences.
    private(set) var all: [SchemaDifference] = []
    /// The differences as text, each with the reason why the stored type cannot become the declared type.
    private(set) var texts: [String] = []
    private let purpose: Purpose

    init(_ purpose: Purpose) { self.purpose = purpose }

    /// Adds the differences between a stored type and the type in a program.
    ///
    /// - Parameters:
    ///   - name: the field's name for messages.
    ///   - path: the path to the field, for names of fields inside it.
    mutating func compare(_ stored: FieldType, _ other: FieldType, name: String, path: String) {
        if isNone(stored, other) { return }
        let (inner, otherInner) = (stored.unwrapped, other.unwrapped)
        if stored.isOptional && !other.isOptional || isNone(inner, otherInner) { return addTypes(stored, other, name) }
        switch (inner, otherInner) {
        case (.array(let element), .array(let other)), (.set(let element), .set(let other)):
            compare(element, other, name: "\(path)[]", path: "\(path)[]")
        case (.dictionary(let key, let value), .dictionary(let otherKey, let otherValue)):
            compare(key, otherKey, name: "\(path).keys", path: "\(path).keys")
            compare(value, otherValue, name: "\(path).values", path: "\(path).values")
        case (.embedded(let fields), .embedded(let otherFields)): compare(fields, otherFields, path)
        default: addTypes(stored, other, name)
        }
    }

    private mutating func compare(_ stored: EmbeddedSchema, _ other: EmbeddedSchema, _ path: String) {
        let fieldIndexes = other.fields.map { FieldMatch.index(of: $0, among: stored.fields, besides: other.fields) }
        let before = all.count
        for (field, fieldIndex) in zip(other.fields, fieldIndexes) {
            let inner = "\(path).\(field.name)"
            if let fieldIndex {
                let name = FieldMatch.text(inner, inStore: "\(path).\(stored.fields[fieldIndex].name)")
                compare(stored.fields[fieldIndex].type, field.type, name: name, path: inner)
            } else if !isFilled(field) {
                addMissing(field, inner)
            }
        }
        for (fieldIndex, field) in stored.fields.enumerated() where !fieldIndexes.contains(fieldIndex) {
            addUndeclared(field, "\(path).\(field.name)")
        }
        if all.count == before { addTypes(.embedded(stored), .embedded(other), path) }
    }

    private func isNone(_ stored: FieldType, _ other: FieldType) -> Bool {
        switch purpose {
        case .reported: FieldCoverage(stored, declared: other) == .whole
        case .refused(.opening): FieldConversion.between(stored, other)?.isLossless ?? false
        case .refused(.explicit): FieldConversion.between(stored, other) != nil
        }
    }

    private func isFilled(_ field: FieldSchema) -> Bool {
        if case .reported = purpose { return false }
        return field.fillingBytes(now: nil) != nil
    }

    private mutating func addTypes(_ stored: FieldType, _ other: FieldType, _ name: String) {
        let difference = SchemaDifference.type(name, stored: stored, declared: other)
        switch purpose {
        case .reported: add(difference)
        case .refused where FieldConversion.between(stored, other) == nil:
            add(difference, "and the store cannot convert the values")
        case .refused: add(difference, "which cannot hold all values of the other")
        }
    }

    private mutating func addMissing(_ field: FieldSchema, _ name: String) {
        let difference = SchemaDifference.missingField(name, field.type)
        switch purpose {
        case .reported: add(difference)
        case .refused:
            add(
                difference,
                "and existing records would have no value for it "
                    + "(make it optional, or give it a default that is the same each time)")
        }
    }

    private mutating func addUndeclared(_ field: FieldSchema, _ name: String) {
        let difference = SchemaDifference.undeclaredField(name, field.type)
        switch purpose {
        case .reported: add(difference)
        case .refused(.opening):
            add(difference, "and without it, different set elements or keys could become equal")
        case .refused(.explicit): break
        }
    }

    private mutating func add(_ difference: SchemaDifference, _ consequence: String? = nil) {
        all.append(difference)
        texts.append(consequence.map { "\(difference), \($0)" } ?? "\(difference)")
    }
}
