import SwiftSyntax

/// The arguments of `@Record`.
struct RecordAttribute {
    let storedName: ExprSyntax?
    /// Whether the macro writes an initializer with the access level of the struct.
    let writesInitializer: Bool

    init(_ structure: ParsedStruct, _ report: inout DiagnosticReport) {
        storedName = Self.storedName(structure.attribute)
        let argument = structure.attribute.argumentList?.first { $0.label?.text == "publicInit" }?.expression
        guard let argument else {
            writesInitializer = false
            return
        }
        let literal = argument.as(BooleanLiteralExprSyntax.self)
        if literal == nil { report.add(.publicInitNotLiteral(), at: argument) }
        writesInitializer = literal?.literal.tokenKind == .keyword(.true)
        if writesInitializer { Self.validate(structure, argument, &report) }
    }

    static func storedName(_ attribute: AttributeSyntax) -> ExprSyntax? {
        attribute.argumentList?.first { $0.label == nil }?.expression
    }

    private static func validate(_ structure: ParsedStruct, _ argument: ExprSyntax, _ report: inout DiagnosticReport) {
        if structure.access < .package { report.add(.publicInitOfInternalStruct(structure.name), at: argument) }
        if structure.declaresInitializer { report.add(.publicInitBesideInitializer(structure.name), at: argument) }
        for property in structure.properties.memberwise where property.access < structure.access {
            guard case .none = property.initialValue else { continue }
            report.add(.notInPublicInit(property.name), at: property.binding.pattern)
        }
    }
}
