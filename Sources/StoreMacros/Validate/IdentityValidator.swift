import SwiftDiagnostics
import SwiftSyntax

/// Validates and returns the identity of records.
struct IdentityValidator {
    let structure: ParsedStruct

    private static let integerTypes: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
    ]

    /// Returns the identity by field numbers; nil if there is none.
    func identity(_ report: inout DiagnosticReport) -> RecordDescription.Identity? {
        let fields = structure.properties.filter { !$0.isTransient }
        let indices = fields.indices.filter { fields[$0].isID }
        for property in fields where property.isID { validate(property, isComposite: indices.count > 1, &report) }
        guard let first = indices.first else {
            report.add(.noID(structure.name), at: structure.declaration.name, fixIts: [fixIt(among: fields)])
            return nil
        }
        let nestedID = structure.nestedTypes.first { $0.plainName == "ID" }
        if indices.count > 1 {
            if let nestedID { report.add(.generatedName("ID", attribute: "Record"), at: nestedID) }
            return .composite(indices)
        }
        let property = fields[first]
        // `struct ID` inside the record together with `@ID var id: ID` is the usual way to give ids their own type.
        let named = ["ID", "Self.ID", "\(structure.name).ID"].contains(property.type?.trimmedDescription)
        if let nestedID, !named { report.add(.generatedName("ID", attribute: "Record"), at: nestedID) }
        for marker in property.markers where [.indexed, .unique].contains(marker.kind) {
            report.add(
                .redundantOnID(marker.kind.rawValue, property.name), at: marker.attribute,
                fixIts: [.remove(marker.attribute)]
            )
        }
        return .single(first, isAssigned: property.marker(.id)?.isAssigned == true, declaresAlias: !named)
    }

    private func validate(_ property: ParsedProperty, isComposite: Bool, _ report: inout DiagnosticReport) {
        guard let marker = property.marker(.id) else { return }
        if let type = property.type, type.isOptional {
            let wrapped = type.unwrappedOptional.trimmedDescription
            report.add(.optionalID(property.name), at: type, fixIts: [.replace(type, with: wrapped)])
        }
        if marker.isAssigned {
            validateAssigned(property, marker, isComposite: isComposite, &report)
        } else if let argument = marker.attribute.argumentList?.first {
            report.add(.unknownIDArgument(), at: argument)
        }
    }

    private func validateAssigned(
        _ property: ParsedProperty, _ marker: Marker, isComposite: Bool, _ report: inout DiagnosticReport
    ) {
        if isComposite { report.add(.assignedComposite(property.name), at: marker.attribute) }
        if let type = property.type, !type.isOptional, !Self.integerTypes.contains(type.baseTypeName ?? "") {
            report.add(
                .assignedNotInteger(type.trimmedDescription, property.name), at: property.typeAnchor,
                fixIts: property.isTypeWritten ? [.replace(type, with: "Int")] : []
            )
            return
        }
        let value = property.binding.initializer?.value
        if property.isLet {
            let fixIt = FixIt.makeVariable(property, adding: value == nil ? " = 0" : "")
            report.add(.assignedConstant(property.name), at: property.binding.pattern, fixIts: [fixIt])
        } else if let value {
            if value.trimmedDescription != "0" {
                report.add(.assignedWithoutZero(property.name), at: value, fixIts: [.replace(value, with: "0")])
            }
        } else {
            report.add(
                .assignedWithoutZero(property.name), at: property.binding,
                fixIts: [.insert(" = 0", after: property.valueAnchor)]
            )
        }
    }

    /// Returns a fix-it that marks the property `id`, or adds one.
    private func fixIt(among fields: [ParsedProperty]) -> FixIt {
        if let property = fields.first(where: { $0.name == "id" }) {
            return .insert("@ID ", before: property.declaration)
        }
        let brace = structure.declaration.memberBlock.leftBrace
        return .insert("\n    @ID var id: UUID = .newID", after: brace)
    }
}
