import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@ID`, `@Indexed`, `@Unique`, `@Transient` and `@Renamed`. They generate nothing; `@Record` and `@Embedded` read them.
///
/// The expansion only checks that the marker is on a property of a record or an embedded value.
struct FieldMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = DiagnosticReport()
        let node = node.asWritten(on: declaration)
        let owner = context.lexicalContext.first?.as(StructDeclSyntax.self)
        if owner?.attributes.contains(anyOf: ["Record", "Embedded"]) != true {
            report.add(.markerOutsideRecord(node.baseName), at: node, fixIts: [.remove(node)])
        } else if !declaration.is(VariableDeclSyntax.self) {
            report.add(.markerNotOnStoredProperty(node.baseName), at: node, fixIts: [.remove(node)])
        }
        report.emit(in: context)
        return []
    }
}

/// `@Index` and `@UniqueIndex` on a record. `@Record` reads them, like the markers of fields.
struct IndexMarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        var report = DiagnosticReport()
        let node = node.asWritten(on: declaration)
        if declaration.as(StructDeclSyntax.self)?.attributes.contains(anyOf: ["Record"]) != true {
            report.add(.indexOutsideRecord(node.baseName), at: node, fixIts: [.remove(node)])
        }
        report.emit(in: context)
        return []
    }
}

extension AttributeSyntax {
    /// Returns the same attribute in the tree of its declaration.
    ///
    /// A macro receives its attribute detached from the source. A fix-it that removes the attribute needs the token after it.
    fileprivate func asWritten(on declaration: some DeclSyntaxProtocol) -> AttributeSyntax {
        let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.plain ?? []
        return attributes.first { $0.trimmedDescription == trimmedDescription } ?? self
    }
}
