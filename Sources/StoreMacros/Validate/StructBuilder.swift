import SwiftSyntax

/// Numbers the fields of a struct whose properties were found sound.
struct StructBuilder {
    let structure: ParsedStruct
    let typeName: String
    func build() -> StructDescription {
        let isPublic = structure.isPublicThroughout
        let stored = structure.properties.filter { !$0.isTransient }
        let reachesAll = isPublic && stored.allSatisfy { $0.access == .public }
        return StructDescription(
            typeName: typeName,
            access: structure.access,
            fields: stored.map(field),
            inlinesEncoding: reachesAll,
            inlinesDecoding: reachesAll && structure.properties.allSatisfy { !$0.isTransient && $0.hasPlainDefault },
            isPublicThroughout: isPublic
        )
    }

    private func field(_ property: ParsedProperty) -> FieldDescription {
        FieldDescription(
            name: property.name,
            reference: property.identifier.text,
            type: property.type?.text(replacingSelfBy: typeName) ?? "",
            access: min(property.access, structure.access),
            isInlinable: structure.isPublicThroughout && property.access == .public,
            isReadOnly: property.isLet || (property.setterAccess ?? property.access) < property.access,
            initialValue: property.isID ? property.initialValue.inID : property.initialValue,
            oldNames: property.markers.flatMap { $0.oldNames.compactMap(\.name) }
        )
    }
}

extension InitialValue {
    /// An id is in every record and in every version of one: of its initial value only a token counts.
    fileprivate var inID: InitialValue {
        if case .token = self { return self }
        return .none
    }
}

extension ParsedProperty {
    /// Whether its initial value can be repeated in code that clients inline.
    fileprivate var hasPlainDefault: Bool {
        switch initialValue {
        case .none, .null, .token: true
        case .constant(let expression): expression.isPlainLiteral
        case .volatile, .expression: false
        }
    }
}
