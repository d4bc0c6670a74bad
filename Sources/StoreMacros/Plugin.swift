import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

@main
struct StoreMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [RecordMacro.self, FieldMarkerMacro.self]
}
struct FieldMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
struct RecordMacro: ExtensionMacro, MemberMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let name = type.trimmedDescription
        var fields: [(String, String)] = []
        for member in declaration.memberBlock.members {
            guard let v = member.decl.as(VariableDeclSyntax.self) else { continue }
            for b in v.bindings { fields.append((b.pattern.trimmedDescription, b.typeAnnotation!.type.trimmedDescription)) }
        }
        let pub = declaration.modifiers.contains { $0.name.text == "public" } ? "public " : ""
        let inl = pub == "" ? "" : "@inlinable public "
        let own = fields[0].1 == "ID"
        let text = """
        extension \(name): ModelStore.Record, Sendable, Equatable {
            \(own ? "" : "\(pub)typealias ID = \(fields[0].1)")

            \(pub)struct Fields: Sendable {
                \(inl)init() {}
                \(fields.enumerated().map { "\(inl)var \($1.0): ModelStore.Field<\(name), \($1.1)> {\n ModelStore.Field(\($0), \"\($1.0)\", get: { $0.\($1.0) }, set: { $0.\($1.0) = $1 }) }" }.joined(separator: "\n"))
            }
            \(inl)static var fields: Fields { Fields() }

            \(pub)static let recordSchema = ModelStore.RecordSchema(
                name: "\(name)",
                fields: [
                  \(fields.map { "ModelStore.FieldSchema(\"\($0.0)\", \($0.1).self)" }.joined(separator: ",\n"))
                ],
                id: ModelStore.IDSchema([0]),
                indexes: []
            )

            \(inl)var recordID: ID { \(fields[0].0) }

            \(inl)func encode(to encoder: inout ModelStore.FieldEncoder) throws(ModelStore.CodecError) {
                  \(fields.map { "try encoder.encode(\($0.0))" }.joined(separator: "\n"))
            }
            \(inl)init(from decoder: borrowing ModelStore.FieldDecoder) throws(ModelStore.CodecError) {
                  \(fields.enumerated().map { "self.\($1.0) = try decoder.decode(\($0))" }.joined(separator: "\n"))
            }
        }
        """
        return [try ExtensionDeclSyntax("\(raw: text)")]
    }
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo p: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
