import SwiftSyntax
import SwiftSyntaxBuilder

extension String {
    /// The text with all lines indented by one level, except empty ones.
    var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// The text as a string literal. Names of properties contain nothing to escape, except for characters that raw identifiers
    /// allow.
    var quoted: String { StringLiteralExprSyntax(content: self).description }
}

/// Returns the extension of a macro, from the missing conformances and the text of its members.
func extensionDeclaration(
    of typeName: String, conformingTo protocols: [TypeSyntax], members: [String]
) -> ExtensionDeclSyntax {
    let names = protocols.map { conformance in
        let name = conformance.baseTypeName ?? conformance.trimmedDescription
        return ["Sendable", "Equatable"].contains(name) ? name : "ModelStore.\(name)"
    }
    let conformances = names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
    let body = members.joined(separator: "\n\n").indented
    let declaration: DeclSyntax = """
        nonisolated extension \(raw: typeName)\(raw: conformances) {
        \(raw: body)
        }
        """
    return declaration.cast(ExtensionDeclSyntax.self)
}
