import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Published`: a property of a class. A subject beside it, `_name`, stores its value, and `$name` returns its values.
struct PublishedMacro: AccessorMacro, PeerMacro {
    static let formatMode: FormatMode = .disabled

    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        var report = DiagnosticReport()
        defer { report.emit(in: context) }
        guard let property = PublishedProperty(declaration, node, in: context, &report) else { return [] }
        var accessors: [AccessorDeclSyntax] = [
            "get { _\(raw: property.name)._value { $0 == \\\(raw: property.owner).\(raw: property.name) } }",
            "set { _\(raw: property.name)._send(newValue, of: self) }",
        ]
        if property.initialValue == nil {
            accessors.insert(
                """
                @storageRestrictions(initializes: _\(raw: property.name))
                init(initialValue) { _\(raw: property.name) = ModelStoreComponents.Subject(_published: initialValue) }
                """, at: 0)
        }
        return accessors
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The accessors' expansion reports the errors.
        var ignored = DiagnosticReport()
        guard let property = PublishedProperty(declaration, node, in: context, &ignored) else { return [] }
        let generic = property.type.map { "<\($0)>" } ?? ""
        let storage: DeclSyntax =
            property.initialValue.map {
                "private let _\(raw: property.name) = ModelStoreComponents.Subject\(raw: generic)(_published: \(raw: $0))"
            }
            ?? "private let _\(raw: property.name): ModelStoreComponents.Subject\(raw: generic)"
        return [
            storage,
            """
            \(raw: property.access)var $\(raw: property.name): ModelStoreComponents.SubjectValues\(raw: generic) {
                _\(raw: property.name).values
            }
            """,
        ]
    }
}

/// The parts of the property that the macro needs.
private struct PublishedProperty {
    let name: String
    let type: String?
    let initialValue: String?
    let access: String
    /// The class that declares it.
    let owner: String

    /// Modifiers of a stored property that a separate subject cannot support.
    private static let unpublishable: [TokenKind] = [.keyword(.weak), .keyword(.unowned), .keyword(.lazy)]

    init?(
        _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax, in context: some MacroExpansionContext,
        _ report: inout DiagnosticReport
    ) {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            variable.bindingSpecifier.tokenKind == .keyword(.var), !variable.modifiers.contains(.static),
            variable.bindings.count == 1, let binding = variable.bindings.first, !binding.isComputed,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName,
            let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.trimmedDescription
        else {
            report.add(.notPublishable, at: node)
            return nil
        }
        guard binding.accessorBlock == nil else {
            report.add(.publishedWithObservers(name), at: node)
            return nil
        }
        if let modifier = variable.modifiers.first(where: { Self.unpublishable.contains($0.name.tokenKind) }) {
            report.add(.publishedReference(modifier.name.text), at: node)
            return nil
        }
        let written = binding.typeAnnotation?.type
        guard let type = written?.trimmedDescription ?? InferredType.text(of: binding.initializer?.value) else {
            report.add(.publishedWithoutType(name), at: node)
            return nil
        }
        self.name = name
        self.type = type
        self.owner = owner
        initialValue =
            binding.initializer?.value.trimmedDescription
            ?? (written?.is(OptionalTypeSyntax.self) ?? false ? "nil" : nil)
        // The peer of a private property can be private too, because it is declared in the same scope.
        access = variable.modifiers.accessModifier.map { $0.trimmedDescription + " " } ?? ""
    }
}
