/// Renders what records, embedded values and composite ids have in common: tokens, schema entries and codec.
struct StructRenderer {
    private let structure: StructDescription

    init(structure: StructDescription) { self.structure = structure }

    private var modifier: String { structure.access.modifier }
    private var inlinable: String { structure.isExported ? "@inlinable " : "" }

    /// Put on code that uses a deprecated property. Calls through the protocols are not warned about.
    private let deprecated = "@available(*, deprecated)"

    /// The container of tokens and the one value of it.
    ///
    /// The tokens are computed: the compiler folds each down to its number and accessors. A read through a key path would copy a
    /// stored container as a whole (9 ns against 210 with twelve fields).
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

    /// The container of the tokens of some fields, which are unique, and the one value of it.
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
        return """
            \(attributes)\(field.access.modifier)var \(field.reference): \(type) {
                ModelStore.Field(\(number), \(field.name.quoted), get: { \(reference) }\(setter))
            }
            """
    }

    /// The member that stands for every name that is no field. It has a type, so the compiler reports the name at its place.
    private func missingField() -> String {
        let names = structure.fields.map(\.reference).filter { !$0.contains { "\"\\".contains($0) } }
        let owner = structure.typeName
        let message = "there is no field of this name: \(owner) has \(names.joined(separator: ", "))"
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

    /// What other modules see of an initializer that is missing.
    func initializerHint() -> [String] { structure.initializerHint.map { [$0.rendered()] } ?? [] }

    /// One schema entry for each field.
    func schemaEntries() -> String {
        structure.fields.map(schemaEntry).joined(separator: ",\n")
    }

    private func schemaEntry(_ field: FieldDescription) -> String {
        let type = field.needsOrder ? "ModelStore._indexable(\(field.type).self)" : "\(field.type).self"
        var arguments = [field.name.quoted, type]
        switch field.initialValue {
        case .constant(let expression): arguments.append("default: \(expression)")
        case .token(let token, _): arguments.append("token: .\(token.rawValue)")
        // That an optional starts without a value goes without saying.
        case .none, .null, .volatile, .expression: break
        }
        if !field.oldNames.isEmpty {
            arguments.append("renamedFrom: [\(field.oldNames.map(\.quoted).joined(separator: ", "))]")
        }
        let rule = field.deleteRule.map { ".onDelete(.\($0))" } ?? ""
        return "ModelStore.FieldSchema(\(arguments.joined(separator: ", ")))\(rule)"
    }

    /// `encode(to:)` and `init(from:)`.
    ///
    /// The type is passed to `decode`: left to inference, `var mode: Mode? = .off` would read a `Mode` where a `Mode?`
    /// was written, because `.off` is rather found in `Mode` than through the optional.
    ///
    /// All fields are decoded before the first is stored: an initializer that may throw midway keeps a copy of what it
    /// has stored, which costs a scan a tenth of its time.
    func codec() -> [String] {
        let writes = structure.fields.map { "try encoder.encode(self.\($0.reference))" }
        let reads = structure.fields.enumerated().map { number, field in
            "let _\(number) = try decoder.decode(\(number), as: \(field.type).self\(fallback(field)))"
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

    /// What an older record, from before the field was there, reads as.
    private func fallback(_ field: FieldDescription) -> String {
        switch field.initialValue {
        case .none: ""
        case .null: ", or: nil"
        case .token(let token, _): ", or: \(token.spelling)"
        case .constant(let expression), .volatile(_, let expression), .expression(let expression): ", or: \(expression)"
        }
    }
}
