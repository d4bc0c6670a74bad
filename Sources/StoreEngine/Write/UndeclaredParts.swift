/// The parts of a record's stored form that the writer's type does not declare.
package struct UndeclaredParts: Sendable {
    /// The indexes of the fields that the writer does not know at all.
    let fields: [Int]
    /// The fields that the writer knows in part, by field index.
    let partial: [Int: PartialForm]

    /// Creates an empty value: the writer knows all parts.
    package init() {
        fields = []
        partial = [:]
    }

    init(_ fit: SchemaFit, of type: RecordType) {
        fields = fit.undeclared
        partial = fit.partial.reduce(into: [:]) { partial, part in
            partial[part.fieldIndex] = PartialForm(type.fields[part.fieldIndex].type, declared: part.declared.type)
        }
    }

    /// Whether the writer knows all parts.
    var isEmpty: Bool { fields.isEmpty && partial.isEmpty }
}
