import SwiftSyntax
import SwiftSyntaxBuilder

extension String {
    /// Every line but the empty ones one level further in.
    var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }
            .joined(separator: "\n")
    }

    /// As a string literal. Names of properties hold nothing to escape but what raw identifiers allow.
    var quoted: String { StringLiteralExprSyntax(content: self).description }
}

/// The extension that a macro returns, from the conformances it still lacks and its members' text.
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
