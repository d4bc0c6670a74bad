import SwiftSyntax

/// Numbers the fields of a struct after its properties were validated.
struct StructBuilder {
    let structure: ParsedStruct
    let typeName: String
    /// The numbers of the indexed fields.
    var indexed: Set<Int> = []
    /// Whether other modules have an initializer; nil if only one that the struct declares.
    var hasInitializer: Bool?

    func build() -> StructDescription {
        let stored = structure.properties.filter { !$0.isTransient }
        let reachesAll = structure.isExported && stored.allSatisfy { $0.access >= structure.access }
        return StructDescription(
            typeName: typeName,
            access: structure.access,
            fields: stored.enumerated().map { field($1, number: $0) },
            inlinesEncoding: reachesAll,
            inlinesDecoding: reachesAll && structure.properties.allSatisfy { !$0.isTransient && $0.hasPlainDefault },
            isExported: structure.isExported,
            initializerHint: initializerHint
        )
    }

    private var initializerHint: InitializerHint? {
        guard structure.isExported, !(hasInitializer ?? structure.declaresInitializer) else { return nil }
        // The types of the parameters may have names that are visible only inside the types around the struct.
        return InitializerHint(
            properties: structure.properties, typeName: structure.name, access: structure.access,
            isNested: !structure.context.isEmpty)
    }

    private func field(_ property: ParsedProperty, number: Int) -> FieldDescription {
        let access = min(property.access, structure.access)
        let scope = FieldScope(structure)
        return FieldDescription(
            name: property.name,
            reference: property.identifier.text,
            type: scope?.type(of: property, number: number)
                ?? property.type?.text(replacingSelfBy: typeName) ?? "",
            access: access,
            needsOrder: indexed.contains(number) && property.type?.isKnownToHaveOrder != true,
            isInlinable: structure.isExported && access == structure.access,
            isReadOnly: property.isLet || (property.setterAccess ?? access) < access,
            isDeprecated: property.isDeprecated,
            initialValue: initialValue(of: property, scope?.initialValue(of: property, number: number)),
            oldNames: property.markers.flatMap { $0.oldNames.compactMap(\.name) },
            deleteRule: property.deleteRule
        )
    }

    /// - Parameter scoped: the value in the extension, if its spelling is not valid there.
    private func initialValue(of property: ParsedProperty, _ scoped: InitialValue?) -> InitialValue {
        switch property.initialValue {
        case .token: property.initialValue
        // Every version of a record has its id, so no other default of it is ever read.
        case _ where property.isID: .none
        // An optional constant has no initial value, but older records read as nil too.
        case .none where property.type?.isOptional == true: .null
        default: scoped ?? property.initialValue
        }
    }
}

extension ParsedProperty {
    /// Whether its use causes a deprecation warning, which generated code must avoid.
    var isDeprecated: Bool { declaration.attributes.isDeprecated }

    /// Whether its initial value can be repeated in code that other modules inline.
    fileprivate var hasPlainDefault: Bool {
        switch initialValue {
        case .none, .null, .token: true
        case .constant(let expression): expression.isPlainLiteral
        case .volatile, .expression: false
        }
    }
}
