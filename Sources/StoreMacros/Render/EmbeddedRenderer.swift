import SwiftSyntax

/// Renders the extension that makes a struct storable inside records.
struct EmbeddedRenderer {
    let value: StructDescription

    func extensionDeclaration(conformingTo protocols: [TypeSyntax]) -> ExtensionDeclSyntax {
        let common = StructRenderer(structure: value)
        let members = common.tokens() + [schema()] + common.codec() + common.equality() + common.initializerHint()
        return StoreMacros.extensionDeclaration(of: value.typeName, conformingTo: protocols, members: members)
    }

    func schema() -> String {
        let entries = StructRenderer(structure: value).schemaEntries()
        let name = "\(value.access.modifier)static let embeddedSchema = ModelStore.EmbeddedSchema("
        return "\(name)\n    fields: [\n\(entries.indented.indented)\n    ]\n)"
    }
}
