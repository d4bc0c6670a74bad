import SwiftDiagnostics
import SwiftSyntax

/// Validates the references of a property to other records.
struct ReferenceValidator {
    let property: ParsedProperty

    private static let rules: Set<String> = ["deny", "nullify", "cascade", "none"]

    func validate(_ report: inout DiagnosticReport) {
        guard !property.isTransient, let marker = property.marker(.reference), let type = property.type else { return }
        guard type.unwrappedOptional.isReference || type.collectionElement?.isReference == true else {
            report.add(
                .notAReference(type.trimmedDescription, property.name), at: property.typeAnchor,
                fixIts: property.isTypeWritten ? asReference(type).map { [.replace(type, with: $0)] } ?? [] : []
            )
            return
        }
        guard let rule = marker.deleteRule else { return }
        guard let name = rule.as(MemberAccessExprSyntax.self)?.declName.baseName.text, Self.rules.contains(name) else {
            report.add(.deleteRuleNotNamed(), at: rule)
            return
        }
        if name == "nullify" { validateNullify(rule, type, &report) }
    }

    private func validateNullify(_ rule: ExprSyntax, _ type: TypeSyntax, _ report: inout DiagnosticReport) {
        if property.isID {
            report.add(.nullifiedID(property.name), at: rule, fixIts: [.replace(rule, with: ".deny")])
        } else if type.collectionElement == nil, !type.isOptional {
            report.add(
                .nullifiedRequired(property.name), at: rule, fixIts: [.insert("?", after: type)]
            )
        }
    }

    /// Returns the reference type for a property that is declared with the records themselves.
    private func asReference(_ type: TypeSyntax) -> String? {
        if let array = type.as(ArrayTypeSyntax.self) { return asReference(array.element).map { "[\($0)]" } }
        if let element = type.genericArguments(of: "Set")?.first { return asReference(element).map { "Set<\($0)>" } }
        if type.isOptional { return asReference(type.unwrappedOptional).map { "\($0)?" } }
        guard type.baseTypeName != nil, type.genericArguments.isEmpty, !type.isKnownToHaveOrder else { return nil }
        return "Reference<\(type.trimmedDescription)>"
    }
}

extension ParsedProperty {
    /// The written delete rule, if it is not the default.
    var deleteRule: String? {
        let name = marker(.reference)?.deleteRule?.as(MemberAccessExprSyntax.self)?.declName.baseName.text
        return name == "deny" ? nil : name
    }
}
