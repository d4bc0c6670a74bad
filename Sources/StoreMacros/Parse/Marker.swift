import SwiftSyntax

/// One of ModelStore's attributes on a property.
struct Marker {
    enum Kind: String {
        case id = "ID"
        case indexed = "Indexed"
        case unique = "Unique"
        case transient = "Transient"
        case renamed = "Renamed"
        case reference = "Reference"
    }

    let kind: Kind
    let attribute: AttributeSyntax

    init?(_ attribute: AttributeSyntax) {
        guard let kind = Kind(rawValue: attribute.baseName) else { return nil }
        self.kind = kind
        self.attribute = attribute
    }

    /// Whether this is `@ID(.assigned)`.
    var isAssigned: Bool {
        guard kind == .id, let argument = attribute.argumentList?.first?.expression else { return false }
        return argument.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "assigned"
    }

    /// The argument of `@Reference(onDelete:)`.
    var deleteRule: ExprSyntax? {
        guard kind == .reference else { return nil }
        return attribute.argumentList?.first { $0.label?.text == "onDelete" }?.expression
    }

    /// The arguments of `@Renamed(from:)`, with their text if they are plain literals.
    var oldNames: [(expression: ExprSyntax, name: String?)] {
        guard kind == .renamed else { return [] }
        return (attribute.argumentList ?? []).map { ($0.expression, $0.expression.literalString) }
    }
}

/// `@Index("room", "celsius")` or `@UniqueIndex(…)` on a record.
struct IndexMarker {
    let attribute: AttributeSyntax
    let isUnique: Bool
    let fields: [(expression: ExprSyntax, name: String?)]

    init?(_ attribute: AttributeSyntax) {
        switch attribute.baseName {
        case "Index": isUnique = false
        case "UniqueIndex": isUnique = true
        default: return nil
        }
        self.attribute = attribute
        fields = (attribute.argumentList ?? []).map { ($0.expression, $0.expression.literalString) }
    }
}
