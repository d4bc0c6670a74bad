import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Component`: the conformance of a struct, with a visit of each wrapped property.
struct ComponentMacro: ExtensionMacro {
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
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            report.add(.componentNotAStruct, at: node)
            return []
        }
        let visits = structure.memberBlock.members.visits.map { "\n        \($0)" }
        let conformance = protocols.isEmpty ? "" : ": ModelStoreComponents.Component"
        let access = (structure.modifiers.access ?? .internal).modifier
        let text: DeclSyntax = """
            nonisolated extension \(type.trimmed)\(raw: conformance) {
                \(raw: access)mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {\(raw: visits.joined())
                }
            }
            """
        return text.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}

extension MemberBlockItemListSyntax {
    /// The lines that visit the wrapped properties among these members.
    fileprivate var visits: [String] {
        flatMap { member in
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) { return conditional.visits }
            let names = member.decl.as(VariableDeclSyntax.self)?.wrappedNames ?? []
            return names.map { "slots.visit(&_\($0))" }
        }
    }
}

extension IfConfigDeclSyntax {
    /// The same for members under `#if`, under the same conditions.
    fileprivate var visits: [String] {
        let shown = clauses.map { clause in
            if case .decls(let members) = clause.elements { members.visits } else { [String]() }
        }
        if shown.allSatisfy(\.isEmpty) { return [] }
        let heads = clauses.map { clause in
            clause.poundKeyword.trimmedDescription + (clause.condition.map { " \($0.trimmedDescription)" } ?? "")
        }
        return zip(heads, shown).flatMap { head, visits in [head] + visits } + ["#endif"]
    }
}

extension VariableDeclSyntax {
    /// The names of the properties with a property wrapper: stored variables with an attribute whose name begins with a capital
    /// letter and that is not an attribute of Swift.
    fileprivate var wrappedNames: [String] {
        guard bindingSpecifier.tokenKind == .keyword(.var), !modifiers.contains(.static) else { return [] }
        let hasWrapper = attributes.contains { element in
            guard let name = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription else { return false }
            return name.first?.isUppercase ?? false && name != "MainActor"
        }
        guard hasWrapper else { return [] }
        return bindings.compactMap { binding in
            binding.isStored ? binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName : nil
        }
    }
}

extension PatternBindingSyntax {
    /// Whether it has no accessors, or only observers.
    fileprivate var isStored: Bool {
        switch accessorBlock?.accessors {
        case nil: true
        case .getter: false
        case .accessors(let accessors):
            accessors.allSatisfy { accessor in
                [.keyword(.willSet), .keyword(.didSet)].contains(accessor.accessorSpecifier.tokenKind)
            }
        }
    }
}
