import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@Record`: the conformance and its requirements, in an extension.
///
/// The extension role reports errors. The member role has two cases only. A `.now` default needs a memberwise initializer from
/// this macro. A nested struct needs aliases for names that the extension cannot resolve. Otherwise it generates nothing, so that
/// the compiler's own memberwise initializer remains.
struct RecordMacro: ExtensionMacro, MemberMacro {
    /// The text is rendered in its final form. The formatter would break every closure over three lines.
    static let formatMode: FormatMode = .disabled

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var report = DiagnosticReport()
        let description = describe(
            declaration, node, typeName: type.trimmedDescription, protocols, in: context, &report)
        report.emit(in: context)
        guard let description else { return [] }
        return [RecordRenderer(record: description).extensionDeclaration(conformingTo: protocols)]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = DiagnosticReport()
        guard let structure = ParsedStruct(declaration, attribute: node, context: context.lexicalContext),
            let description = RecordValidator(structure: structure, typeName: "Self", addsEquatable: false)
                .description(&report)
        else { return [] }
        return [description.memberwiseInitializer?.rendered(), FieldScope(structure)?.rendered()].compactMap(\.self)
    }

    private static func describe(
        _ declaration: some DeclGroupSyntax,
        _ node: AttributeSyntax,
        typeName: String,
        _ protocols: [TypeSyntax],
        in context: some MacroExpansionContext,
        _ report: inout DiagnosticReport
    ) -> RecordDescription? {
        guard let structure = ParsedStruct(declaration, attribute: node, context: context.lexicalContext) else {
            report.add(.notAStruct(attribute: "Record"), at: node)
            return nil
        }
        let addsEquatable = protocols.contains(named: "Equatable")
        var description = RecordValidator(
            structure: structure, typeName: typeName, addsEquatable: addsEquatable
        )
        .description(&report)
        description?.structure.locate(structure, in: context)
        if addsEquatable { description?.structure.equality = EqualityRenderer(structure, in: context) }
        return description
    }
}
