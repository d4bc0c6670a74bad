import SwiftDiagnostics
import SwiftSyntax

/// Turns a parsed struct into the description of an embedded value, or reports why that is not possible.
struct EmbeddedValidator {
    let structure: ParsedStruct
    let typeName: String
    /// Whether the extension has to declare `Equatable`.
    let addsEquatable: Bool

    private static let generatedNames: Set<String> = ["Fields"]
    private static let generatedStaticNames: Set<String> = ["fields", "embeddedSchema", "Fields"]

    func description(_ report: inout DiagnosticReport) -> StructDescription? {
        let declaration = DeclarationValidator(
            structure: structure, attribute: "Embedded", generatedNames: Self.generatedNames,
            generatedStaticNames: Self.generatedStaticNames, addsEquatable: addsEquatable
        )
        declaration.validate(&report)
        if structure.properties.allSatisfy(\.isTransient) {
            report.add(.noFields(structure.name), at: structure.declaration.name)
        }
        for property in structure.properties {
            PropertyValidator(property: property).validate(&report)
            for marker in property.markers where [.id, .indexed, .unique, .reference].contains(marker.kind) {
                report.add(
                    .markerInEmbedded(marker.kind.rawValue), at: marker.attribute, fixIts: [.remove(marker.attribute)]
                )
            }
            if !property.isTransient, let type = property.type,
                type.unwrappedOptional.isReference || type.collectionElement?.isReference == true
            {
                report.add(.referenceInEmbedded(property.name), at: type)
            }
            if !property.isTransient, case .token = property.initialValue,
                let value = property.binding.initializer?.value
            {
                report.add(.tokenInEmbedded(property.name), at: value)
            }
        }
        MarkerValidator(structure: structure).validate(&report)
        guard !report.hasErrors else { return nil }
        return StructBuilder(structure: structure, typeName: typeName).build()
    }
}
