/// Renders the common parts of records, embedded values and composite ids: tokens, schema entries and codec.
struct StructRenderer {
    private let structure: StructDescription

    init(structure: StructDescription) { self.structure = structure }

    private var modifier: String { structure.access.modifier }
    private var inlinable: String { structure.isExported ? "@inlinable " : "" }

    /// Added to code that uses a deprecated property. Calls through the protocols cause no warning.
    private let deprecated = "@available(*, deprecated)"

    /// Returns the container of tokens and its single value.
    ///
    /// The tokens are computed, because the compiler reduces each to its number and accessors. A read through a key path would
    /// copy a stored container as a whole (9 ns against 210 with twelve fields).
    func tokens() -> [String] {
        let accessors = structure.fields.enumerated().map { accessor($1, number: $0) } + [missingField()]
        let container = """
            @dynamicMemberLookup
            \(modifier)nonisolated struct Fields: Sendable {
                \(inlinable)\(modifier)init() {}

            \(accessors.joined(separator: "\n\n").indented)
            }
            """
        return [container, "\(inlinable)\(modifier)static var fields: Fields { Fields() }"]
    }

    /// Returns the container of the tokens of unique fields, and its single value.
    func tokens(ofUnique numbers: [Int]) -> [String] {
        let accessors = numbers.map { accessor(structure.fields[$0], number: $0) }
        let container = """
            \(modifier)nonisolated struct UniqueFields: Sendable {
                \(inlinable)\(modifier)init() {}

            \(accessors.joined(separator: "\n\n").indented)
            }
            """
        return [container, "\(inlinable)\(modifier)static var uniqueFields: UniqueFields { UniqueFields() }"]
    }

    private func accessor(_ field: FieldDescription, number: Int) -> String {
        let reference = "$0.\(field.reference)"
        let setter = field.isReadOnly ? "" : ", set: { \(reference) = $1 }"
        let attributes = (field.isDeprecated ? deprecated + " " : "") + (field.isInlinable ? "@inlinable " : "")
        let type = "ModelStore.Field<\(structure.typeName), \(field.type)>"
        let head = "\(attributes)\(field.access.modifier)var \(field.reference): \(type)"
        let token = "ModelStore.Field(\(number), \(field.name.quoted), get: { \(reference) }\(setter))"
        if let place = field.place { return place.located("\(head) { \(token) }") }
        return """
            \(head) {
                \(token)
            }
            """
    }

    /// Returns the member for all names that are not fields. It has a type, so the compiler reports the error at the name.
    private func missingField() -> String {
        let names = structure.fields.map(\.reference).filter { !$0.contains { "\"\\".contains($0) } }
        let owner = structure.typeName
        let message = "there is no field with this name: \(owner) has \(names.joined(separator: ", "))"
        return """
            @available(
                *, unavailable,
                message: "\(message)"
            )
            \(modifier)subscript(
                dynamicMember name: ModelStore._NoFieldOfThisName
            ) -> ModelStore.Field<\(owner), ModelStore._NoSuchValue> { fatalError("unavailable") }
            """
    }

    /// Returns the unavailable initializer that other modules see if the struct declares none.
    func initializerHint() -> [String] { structure.initializerHint.map { [$0.rendered()] } ?? [] }

    /// Returns `==`, unless the compiler writes it.
    func equality() -> [String] { structure.equality.map { [$0.rendered(structure)] } ?? [] }

    /// Returns one schema entry for each field.
    func schemaEntries() -> String {
        structure.fields.map(schemaEntry).joined(separator: ",\n")
    }

    private func schemaEntry(_ field: FieldDescription) -> String {
        let type = field.needsOrder ? "ModelStore._indexable(\(field.type).self)" : "\(field.type).self"
        var arguments = [field.name.quoted, type]
        switch field.initialValue {
        case .constant(let expression): arguments.append("default: \(expression)")
        case .expression: arguments.append("default: _value")
        case .token(let token, _): arguments.append("token: .\(token.rawValue)")
        // The schema implies that an optional starts without a value.
        case .none, .null, .volatile: break
        }
        if !field.oldNames.isEmpty {
            arguments.append("renamedFrom: [\(field.oldNames.map(\.quoted).joined(separator: ", "))]")
        }
        let rule = field.deleteRule.map { ".onDelete(.\($0))" } ?? ""
        let schema = "ModelStore.FieldSchema(\(arguments.joined(separator: ", ")))\(rule)"
        func located(_ code: String) -> String { field.place?.located(code) ?? code }
        guard case .expression(let expression) = field.initialValue else {
            guard field.place != nil else { return schema }
            // A place needs a statement.
            return "{ () -> ModelStore.FieldSchema in\n\(located("return \(schema)").indented)\n}()"
        }
        // The compiler checks the expression on its own, because it has a line with a type.
        let statements = [located("let _value: \(field.type) = \(expression)"), located("return \(schema)")]
        return "ModelStore._computed {\n\(statements.joined(separator: "\n").indented)\n}"
    }

    /// Returns `encode(to:)` and `init(from:)`.
    ///
    /// `decode` gets the type as an argument. With inference, `var mode: Mode? = .off` would read a `Mode` where a `Mode?` was
    /// written, because the compiler prefers `.off` of `Mode` to that of the optional.
    ///
    /// All fields are decoded before the first is stored. An initializer that can throw in between keeps a copy of the stored
    /// fields, which costs a scan a tenth of its time.
    func codec() -> [String] {
        let writes = structure.fields.map { "try encoder.encode(self.\($0.reference))" }
        let reads = structure.fields.enumerated().map { number, field in
            let read = "let _\(number) = try decoder.decode(\(number), as: \(field.type).self\(fallback(field)))"
            return field.place?.located(read) ?? read
        }
        let moves = structure.fields.enumerated().map { number, field in "self.\(field.reference) = _\(number)" }
        let deprecated = structure.fields.contains(where: \.isDeprecated) ? "\(deprecated)\n" : ""
        let encoding = deprecated + (structure.inlinesEncoding ? "@inlinable\n" : "") + modifier
        let decoding = deprecated + (structure.inlinesDecoding ? "@inlinable\n" : "") + modifier
        return [
            """
            \(encoding)func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
            \(writes.joined(separator: "\n").indented)
            }
            """,
            """
            \(decoding)init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
            \((reads + moves).joined(separator: "\n").indented)
            }
            """,
        ]
    }

    /// Returns the value of the field for records that were written before the field existed.
    private func fallback(_ field: FieldDescription) -> String {
        switch field.initialValue {
        case .none: ""
        case .null: ", or: nil"
        case .token(let token, _): ", or: \(token.spelling)"
        case .constant(let expression), .volatile(_, let expression), .expression(let expression): ", or: \(expression)"
        }
    }
}
