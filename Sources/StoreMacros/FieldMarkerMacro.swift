import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@ID`, `@Indexed`, `@Unique`, `@Transient` and `@Renamed`: they generate nothing, `@Record` and `@Embedded` read
/// them.
///
/// Expanding one only checks that there is somebody to read it.
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

/// `@Index` and `@UniqueIndex` on a record: read by `@Record`, like the markers of fields.
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
    /// The same attribute in the tree of its declaration.
    ///
    /// A macro gets its attribute cut out; a fix-it that removes it needs to know what follows.
    fileprivate func asWritten(on declaration: some DeclSyntaxProtocol) -> AttributeSyntax {
        let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes.plain ?? []
        return attributes.first { $0.trimmedDescription == trimmedDescription } ?? self
    }
}
