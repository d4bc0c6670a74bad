import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Embedded`: the `EmbeddedValue` conformance of a struct that is stored inside a record.
///
/// The member role generates aliases in nested structs, for names that the extension cannot resolve.
struct EmbeddedMacro: ExtensionMacro, MemberMacro {
    static let formatMode: FormatMode = .disabled

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var report = DiagnosticReport()
        defer { report.emit(in: context) }
        guard let structure = ParsedStruct(declaration, attribute: node, context: context.lexicalContext) else {
            report.add(.notAStruct(attribute: "Embedded"), at: node)
            return []
        }
        let validator = EmbeddedValidator(
            structure: structure, typeName: type.trimmedDescription,
            addsEquatable: protocols.contains(named: "Equatable"))
        guard var description = validator.description(&report) else { return [] }
        description.locate(structure, in: context)
        if validator.addsEquatable { description.equality = EqualityRenderer(structure, in: context) }
        return [EmbeddedRenderer(value: description).extensionDeclaration(conformingTo: protocols)]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = DiagnosticReport()
        guard let structure = ParsedStruct(declaration, attribute: node, context: context.lexicalContext),
            EmbeddedValidator(structure: structure, typeName: "Self", addsEquatable: false).description(&report) != nil
        else { return [] }
        return [FieldScope(structure)?.rendered()].compactMap(\.self)
    }
}
