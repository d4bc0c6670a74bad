import SwiftDiagnostics
import SwiftSyntax

/// Turns a parsed struct into the description of a record, or reports why that is not possible.
struct RecordValidator {
    let structure: ParsedStruct
    let typeName: String
    /// Whether the extension has to declare `Equatable`.
    let addsEquatable: Bool

    private static let generatedNames: Set<String> = ["recordID", "ID", "Fields", "UniqueFields"]
    private static let generatedStaticNames: Set<String> = [
        "fields", "uniqueFields", "recordSchema", "ID", "Fields", "UniqueFields",
    ]

    func description(_ report: inout DiagnosticReport) -> RecordDescription? {
        let declaration = DeclarationValidator(
            structure: structure, attribute: "Record", generatedNames: Self.generatedNames,
            generatedStaticNames: Self.generatedStaticNames, addsEquatable: addsEquatable
        )
        declaration.validate(&report)
        let name = storedName(&report)
        for property in structure.properties { PropertyValidator(property: property).validate(&report) }
        MarkerValidator(structure: structure).validate(&report)
        let identity = IdentityValidator(structure: structure).identity(&report)
        let indexes = IndexValidator(structure: structure, identity: identity).indexes(&report)
        let attribute = RecordAttribute(structure, &report)
        let initializer = memberwiseInitializer(attribute, &report)
        guard !report.hasErrors, let identity, let name else { return nil }
        return RecordDescription(
            structure: StructBuilder(
                structure: structure, typeName: typeName, indexed: Set(indexes.flatMap(\.fields)),
                hasInitializer: structure.declaresInitializer || attribute.writesInitializer
            ).build(),
            storedName: name,
            declaresName: attribute.storedName != nil,
            identity: identity,
            indexes: indexes,
            memberwiseInitializer: initializer
        )
    }

    private func storedName(_ report: inout DiagnosticReport) -> String? {
        guard let argument = RecordAttribute.storedName(structure.attribute) else { return structure.name }
        guard let name = argument.literalString else {
            report.add(.storedNameNotLiteral(), at: argument)
            return nil
        }
        let isSound = (1...128).contains(name.utf8.count) && name.allSatisfy(Self.isAllowedInStoredName)
        if !isSound { report.add(.invalidStoredName(name), at: argument) }
        return name
    }

    private static func isAllowedInStoredName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_-.".contains(character)
    }

    /// Returns the macro's own memberwise initializer, if the attribute asks for it, or `.now` requires one.
    ///
    /// Swift evaluates `.now` when a value is created, so the record would get the wrong time. As a default argument of the
    /// initializer, the marker value replaces it, and the transaction fills in its time.
    private func memberwiseInitializer(
        _ attribute: RecordAttribute, _ report: inout DiagnosticReport
    ) -> MemberwiseInitializer? {
        let clocked = structure.properties.filter(\.startsAtNow)
        guard !clocked.isEmpty || attribute.writesInitializer else { return nil }
        if structure.declaresInitializer {
            for property in clocked {
                guard let value = property.binding.initializer?.value else { continue }
                report.add(
                    .nowWithOwnInitializer(property.name), at: value,
                    fixIts: [.replace(value, with: ".transactionTime")]
                )
            }
            return nil
        }
        for property in structure.properties where property.type == nil && property.isTransient && !property.isLet {
            let inferred = InferredType.text(of: property.binding.initializer?.value) ?? "<#Type#>"
            report.add(
                .missingType(property.name), at: property.binding.pattern,
                fixIts: [.insert(": \(inferred)", after: property.binding.pattern)]
            )
        }
        guard attribute.writesInitializer else { return MemberwiseInitializer(properties: structure.properties) }
        return MemberwiseInitializer(
            properties: structure.properties.filter { $0.access >= structure.access }, exported: structure.access)
    }
}

extension ParsedProperty {
    /// Whether its initial value is written as `.now` and means the transaction's time.
    var startsAtNow: Bool {
        guard !isTransient, case .token(.now, let expression) = initialValue else { return false }
        return expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "now"
    }
}
