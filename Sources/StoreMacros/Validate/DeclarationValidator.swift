import SwiftDiagnostics
import SwiftSyntax

/// Validates the struct as a whole: its context, its kind, and the names that it uses.
struct DeclarationValidator {
    let structure: ParsedStruct
    /// `Record` or `Embedded`.
    let attribute: String
    /// Members that the extension declares. No other instance property, type or static property may have these names.
    let generatedNames: Set<String>
    let generatedStaticNames: Set<String>
    /// Whether the extension has to declare `Equatable`.
    let addsEquatable: Bool

    static let fieldLimit = 4096

    func validate(_ report: inout DiagnosticReport) {
        validateKind(&report)
        validateSurroundings(&report)
        validateNames(&report)
        validateEquality(&report)
        for conditional in structure.conditionals {
            report.add(.conditionalMembers(structure.name), at: conditional)
        }
        for binding in structure.destructured { report.add(.destructured(), at: binding) }
        let stored = structure.properties.filter { !$0.isTransient }.count
        if stored > Self.fieldLimit {
            report.add(.tooManyFields(stored, limit: Self.fieldLimit), at: structure.declaration.name)
        }
    }

    private func validateKind(_ report: inout DiagnosticReport) {
        let declaration = structure.declaration
        if let generics = declaration.genericParameterClause {
            report.add(.genericStruct(structure.name), at: generics)
        }
        for inherited in declaration.inheritanceClause?.inheritedTypes ?? [] {
            if inherited.type.as(SuppressedTypeSyntax.self)?.type.baseTypeName == "Copyable" {
                report.add(.noncopyable(structure.name), at: inherited)
            }
        }
    }

    private func validateSurroundings(_ report: inout DiagnosticReport) {
        let name = structure.declaration.name
        // At file level, private means the same as fileprivate. Inside another type, it hides the struct from the extension.
        if !structure.context.isEmpty, let modifier = structure.declaration.modifiers.accessModifier,
            Access(modifier) == .private
        {
            report.add(.nestedPrivate(structure.name), at: modifier, fixIts: [.replace(modifier, with: "fileprivate")])
        }
        for (depth, node) in structure.context.enumerated() {
            if node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil {
                report.add(.genericContext(structure.name), at: name)
            }
            let access = node.asProtocol((any WithModifiersSyntax).self)?.modifiers.access
            if access == .private && depth + 1 < structure.context.count {
                report.add(.nestedPrivate(structure.name), at: name)
            }
        }
    }

    /// Validates `==`. If a macro declares the conformance, the compiler finds a struct's own `==` twice and reports an
    /// ambiguity. If `==` were among the names that the macro may generate, the same would happen to a struct that declares the
    /// conformance itself. The macro therefore never generates `==`.
    private func validateEquality(_ report: inout DiagnosticReport) {
        if addsEquatable && structure.equality == nil {
            for property in structure.properties where property.isTransient {
                guard let type = property.type, type.hasNoEquality else { continue }
                report.add(.transientWithoutEquality(type.trimmedDescription, property.name), at: type)
            }
        }
        guard addsEquatable, let equality = structure.equality else { return }
        let declaration = structure.declaration
        let fixIt: FixIt
        if let last = declaration.inheritanceClause?.inheritedTypes.last {
            fixIt = .insert(", Equatable", after: last)
        } else {
            fixIt = .insert(": Equatable", after: declaration.name)
        }
        report.add(.equalityWithoutConformance(structure.name), at: equality.name, fixIts: [fixIt])
    }

    private func validateNames(_ report: inout DiagnosticReport) {
        let properties = structure.properties.map(\.identifier)
        let others = structure.nestedTypes.filter { $0.plainName != "ID" }
        for name in properties + others where generatedNames.contains(name.plainName) {
            report.add(.generatedName(name.plainName, attribute: attribute), at: name)
        }
        for name in structure.staticNames where generatedStaticNames.contains(name.plainName) {
            report.add(.generatedName(name.plainName, attribute: attribute), at: name)
        }
    }
}
