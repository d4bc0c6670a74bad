/// What of a record's stored form its writer does not declare.
package struct UndeclaredParts: Sendable {
    /// The places of the fields that it does not know at all.
    let fields: [Int]
    /// Those that it knows in part, by their places.
    let partial: [Int: PartialForm]

    /// Nothing: the writer knows all.
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

    /// Whether the writer knows all.
    var isEmpty: Bool { fields.isEmpty && partial.isEmpty }
}
