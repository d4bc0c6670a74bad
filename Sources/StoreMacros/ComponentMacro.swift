import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Component`: the conformance of a struct, with a visit of each wrapped property, and the list of all stored properties.
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
        let members = structure.memberBlock.members
        let visits = members.lines { variable in variable.wrappedNames.map { "slots.visit(&_\($0))" } }
        let fields = members.lines { variable in variable.storedNames.map { "fields.add(\\.\($0))" } }
        // A use of a deprecated property warns, except in code that is deprecated itself.
        let isDeprecated = !members.allLines { $0.attributes.isDeprecated ? $0.storedNames : [] }.isEmpty
        let availability = isDeprecated ? "@available(*, deprecated) " : ""
        let conformance = protocols.isEmpty ? "" : ": ModelStoreComponents.Component"
        let access = (structure.modifiers.access ?? .internal).modifier
        let text: DeclSyntax = """
            nonisolated extension \(type.trimmed)\(raw: conformance) {
                \(raw: access)mutating func _visit(_ slots: inout ModelStoreComponents.DynamicPropertyVisitor) {\(raw: visits)
                }
                \(raw: availability)\(raw: access)static func _addFields(to fields: inout ModelStoreComponents.ComponentFields<Self>) {\(raw: fields)
                }
            }
            """
        return text.as(ExtensionDeclSyntax.self).map { [$0] } ?? []
    }
}

extension MemberBlockItemListSyntax {
    /// The body of a function with the lines for each variable among these members.
    fileprivate func lines(_ lines: (VariableDeclSyntax) -> [String]) -> String {
        allLines(lines).map { "\n        \($0)" }.joined()
    }

    fileprivate func allLines(_ lines: (VariableDeclSyntax) -> [String]) -> [String] {
        flatMap { member in
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) { return conditional.allLines(lines) }
            return member.decl.as(VariableDeclSyntax.self).map(lines) ?? []
        }
    }
}

extension IfConfigDeclSyntax {
    /// The same for members under `#if`, under the same conditions.
    fileprivate func allLines(_ lines: (VariableDeclSyntax) -> [String]) -> [String] {
        let shown = clauses.map { clause in
            if case .decls(let members) = clause.elements { members.allLines(lines) } else { [String]() }
        }
        if shown.allSatisfy(\.isEmpty) { return [] }
        let heads = clauses.map { clause in
            clause.poundKeyword.trimmedDescription + (clause.condition.map { " \($0.trimmedDescription)" } ?? "")
        }
        return zip(heads, shown).flatMap { head, lines in [head] + lines } + ["#endif"]
    }
}

extension VariableDeclSyntax {
    /// The names of the properties with a property wrapper: stored variables with an attribute whose name begins with a capital
    /// letter and that is not an attribute of Swift.
    fileprivate var wrappedNames: [String] {
        guard isInstanceProperty, hasWrapper, bindingSpecifier.tokenKind == .keyword(.var) else { return [] }
        return bindings.compactMap { binding in
            binding.isComputed ? nil : binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName
        }
    }

    /// The names of the stored properties, with those that property wrappers store. Lazy properties are left out, because they
    /// declare nothing, as are those of the main actor, which an update cannot read.
    fileprivate var storedNames: [String] {
        if !wrappedNames.isEmpty { return wrappedNames.map { "_\($0)" } }
        guard isInstanceProperty, !modifiers.contains(.lazy), !attributes.contains(anyOf: ["MainActor"]) else {
            return []
        }
        return bindings.flatMap { $0.isComputed ? [] : $0.pattern.boundNames }
    }

    private var isInstanceProperty: Bool { !modifiers.contains(.static) }

    private var hasWrapper: Bool {
        attributes.plain.contains { $0.baseName.first?.isUppercase ?? false && $0.baseName != "MainActor" }
    }
}

extension PatternSyntax {
    /// The names that a pattern binds, as written.
    fileprivate var boundNames: [String] {
        if let name = self.as(IdentifierPatternSyntax.self) { return [name.identifier.text] }
        return self.as(TuplePatternSyntax.self)?.elements.flatMap(\.pattern.boundNames) ?? []
    }
}
