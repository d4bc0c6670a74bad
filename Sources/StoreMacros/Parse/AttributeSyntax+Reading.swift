import SwiftSyntax

extension AttributeSyntax {
    /// The attribute's name without a module in front of it: `Indexed` for `@ModelStore.Indexed`.
    var baseName: String {
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.trimmedDescription
    }

    var argumentList: LabeledExprListSyntax? { arguments?.as(LabeledExprListSyntax.self) }
}

extension AttributeListSyntax {
    /// The attributes in source order. Those inside `#if` are reported together with the `#if`.
    var plain: [AttributeSyntax] { compactMap { $0.as(AttributeSyntax.self) } }

    func contains(anyOf names: [String]) -> Bool { plain.contains { names.contains($0.baseName) } }

    /// Whether one of them deprecates the declaration.
    var isDeprecated: Bool {
        plain.contains { $0.baseName == "available" && $0.arguments?.description.contains("deprecated") == true }
    }
}

extension ExprSyntax {
    /// The text of a string literal in one piece, without interpolation and without escapes.
    var literalString: String? {
        guard let literal = self.as(StringLiteralExprSyntax.self), literal.segments.count <= 1 else { return nil }
        guard let segment = literal.segments.first else { return "" }
        guard let text = segment.as(StringSegmentSyntax.self)?.content.text, !text.contains("\\") else { return nil }
        return text
    }
}

extension TokenSyntax {
    /// An identifier without its backticks.
    var plainName: String {
        text.hasPrefix("`") && text.hasSuffix("`") && text.count > 2 ? String(text.dropFirst().dropLast()) : text
    }
}
