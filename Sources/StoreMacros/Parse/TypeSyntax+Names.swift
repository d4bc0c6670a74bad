import SwiftSyntax

extension TypeSyntax {
    /// Whether the type is written as an optional.
    var isOptional: Bool {
        let type = withoutParentheses
        return type.is(OptionalTypeSyntax.self) || type.genericArguments(of: "Optional") != nil
    }

    /// The type inside one level of optional, or itself.
    var unwrappedOptional: TypeSyntax {
        let type = withoutParentheses
        if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType.withoutParentheses }
        if let argument = type.genericArguments(of: "Optional")?.first { return argument.withoutParentheses }
        return type
    }

    /// The type without redundant parentheses: `Int` for `(Int)`, which Swift treats as the same type.
    private var withoutParentheses: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let element = tuple.elements.first,
            element.firstName == nil, !element.type.needsParentheses
        else { return self }
        return element.type.withoutParentheses
    }

    /// Whether a `?` after this type would apply to a part of it.
    private var needsParentheses: Bool {
        switch self.as(TypeSyntaxEnum.self) {
        case .functionType, .someOrAnyType, .compositionType, .attributedType: true
        default: false
        }
    }

    /// The last name of a named type: `Date` for `Foundation.Date`.
    var baseTypeName: String? {
        if let identifier = self.as(IdentifierTypeSyntax.self) { return identifier.name.text }
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return nil
    }

    /// The arguments of a named generic type.
    var genericArguments: [TypeSyntax] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
    }

    func genericArguments(of name: String) -> [TypeSyntax]? {
        baseTypeName == name && !genericArguments.isEmpty ? genericArguments : nil
    }

    /// Whether values of this type cannot be a key, as far as the spelling shows.
    var isCollection: Bool {
        let type = unwrappedOptional
        if let array = type.as(ArrayTypeSyntax.self) { return array.element.trimmedDescription != "UInt8" }
        if type.is(DictionaryTypeSyntax.self) { return true }
        if let element = type.genericArguments(of: "Array")?.first { return element.trimmedDescription != "UInt8" }
        return ["Set", "Dictionary"].contains(type.baseTypeName)
    }

    /// The element type of an array or a set, optional or not, as far as the spelling shows.
    var collectionElement: TypeSyntax? {
        let type = unwrappedOptional
        if let array = type.as(ArrayTypeSyntax.self) { return array.element.withoutParentheses }
        return (type.genericArguments(of: "Array") ?? type.genericArguments(of: "Set"))?.first?.withoutParentheses
    }

    /// Whether the type is written as a reference to a record.
    var isReference: Bool { genericArguments(of: "Reference") != nil }

    /// Whether values of this type can be a key, as far as the spelling shows.
    var isKnownToHaveOrder: Bool {
        guard let name = unwrappedOptional.baseTypeName else { return false }
        return Self.typesWithOrder.contains(name)
    }

    private static let typesWithOrder: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
        "Double", "Float", "Bool", "String", "Data", "UUID", "Date", "URL", "Decimal", "Duration",
    ]

    /// Whether values of this type cannot be compared with `==`, as far as the spelling shows.
    var hasNoEquality: Bool {
        switch unwrappedOptional.as(TypeSyntaxEnum.self) {
        case .functionType, .someOrAnyType, .compositionType, .metatypeType: return true
        case .tupleType(let tuple):
            return tuple.elements.count != 1 || tuple.elements.contains { $0.type.hasNoEquality }
        case .attributedType(let attributed): return attributed.baseType.hasNoEquality
        case .identifierType(let identifier): return ["Any", "AnyObject"].contains(identifier.name.text)
        default: return false
        }
    }

    /// The function type that this type is, or is an optional of, if it has no attribute such as `@Sendable`.
    var plainFunction: FunctionTypeSyntax? {
        switch self.as(TypeSyntaxEnum.self) {
        case .functionType(let function): function
        case .optionalType(let optional): optional.wrappedType.plainFunction
        case .tupleType(let tuple) where tuple.elements.count == 1: tuple.elements.first?.type.plainFunction
        default: nil
        }
    }

    /// Returns the text of the type with the record's own name instead of `Self`, for places where `Self` may mean another type.
    func text(replacingSelfBy typeName: String) -> String {
        let rewriter = SelfRewriter(typeName: typeName)
        return rewriter.rewrite(self).trimmedDescription
    }
}

extension [TypeSyntax] {
    /// Returns whether one of these types has this name, in any module.
    func contains(named name: String) -> Bool { contains { $0.baseTypeName == name } }
}

/// Replaces `Self` with a type's own name.
private final class SelfRewriter: SyntaxRewriter {
    private let typeName: String

    init(typeName: String) {
        self.typeName = typeName
        super.init()
    }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        guard node.name.tokenKind == .keyword(.Self) else { return super.visit(node) }
        return TypeSyntax(node.with(\.name, .identifier(typeName, trailingTrivia: node.name.trailingTrivia)))
    }
}
