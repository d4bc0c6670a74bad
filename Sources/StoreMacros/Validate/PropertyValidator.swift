import SwiftDiagnostics
import SwiftSyntax

/// Validates one stored property, except for its markers: modifiers, attributes, type and initial value.
struct PropertyValidator {
    let property: ParsedProperty

    private var name: String { property.name }

    func validate(_ report: inout DiagnosticReport) {
        if let modifier = property.unsupportedModifier {
            validate(modifier, &report)
        }
        if property.isTransient {
            validateTransient(&report)
            return
        }
        for attribute in property.foreignAttributes {
            report.add(.foreignAttribute(attribute.baseName, name), at: attribute)
        }
        validateType(&report)
        validateInitialValue(&report)
    }

    /// Validates a modifier. A lazy property changes the record that it is read from. A weak or unowned property can be
    /// transient, but not stored.
    private func validate(_ modifier: DeclModifierSyntax, _ report: inout DiagnosticReport) {
        let text = modifier.name.text
        if text == "lazy" {
            report.add(.lazyProperty(name), at: modifier)
        } else if !property.isTransient {
            report.add(.unsupportedModifier(text, name), at: modifier)
        }
    }

    private func validateTransient(_ report: inout DiagnosticReport) {
        if case .none = property.initialValue, property.unsupportedModifier == nil {
            report.add(
                .transientWithoutValue(name), at: property.binding,
                fixIts: [.insert(" = <#value#>", after: property.valueAnchor)]
            )
        }
    }

    private func validateType(_ report: inout DiagnosticReport) {
        guard let type = property.type else {
            let inferred = InferredType.text(of: property.binding.initializer?.value) ?? "<#Type#>"
            report.add(
                .missingType(name), at: property.binding.pattern,
                fixIts: [.insert(": \(inferred)", after: property.binding.pattern)]
            )
            return
        }
        guard let found = UnsupportedType.first(in: type) else { return }
        report.add(
            .unsupportedType(found.node.trimmedDescription, name, advice: found.advice), at: found.node,
            fixIts: found.replacement.map { [.replace(found.node, with: $0)] } ?? []
        )
    }

    private func validateInitialValue(_ report: inout DiagnosticReport) {
        // Ids that the store assigns have their own rules, which are checked with the ids.
        if property.isLet && property.binding.initializer != nil && property.marker(.id)?.isAssigned != true {
            report.add(.constantWithValue(name), at: property.binding.pattern, fixIts: [.makeVariable(property)])
        }
        guard let written = property.binding.initializer?.value else { return }
        switch property.initialValue {
        case .volatile(let token, let expression):
            report.add(
                .volatileDefault(expression.trimmedDescription, token.spelling, name), at: written,
                fixIts: [.replace(written, with: token == .now ? ".now" : token.spelling)]
            )
        case .expression(let expression):
            if expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "now" {
                report.add(.clockDefault(name), at: written)
            }
        default: break
        }
    }
}
