import SwiftSyntax

/// A struct as `@Record` and `@Embedded` parse it: its stored properties and its context, before validation.
struct ParsedStruct {
    let declaration: StructDeclSyntax
    /// The attribute of this macro.
    let attribute: AttributeSyntax
    /// The declarations around it, the innermost first.
    let context: [Syntax]
    private(set) var properties: [ParsedProperty] = []
    /// Properties that cannot be stored fields, but may have a marker: computed and static ones.
    private(set) var otherProperties: [VariableDeclSyntax] = []
    /// `var (a, b) = (1, 2)`
    private(set) var destructured: [PatternBindingSyntax] = []
    private(set) var conditionals: [IfConfigDeclSyntax] = []
    private(set) var nestedTypes: [TokenSyntax] = []
    private(set) var staticNames: [TokenSyntax] = []
    private(set) var declaresInitializer = false
    /// The struct's own `==`.
    private(set) var equality: FunctionDeclSyntax?
    let indexes: [IndexMarker]

    var name: String { declaration.name.plainName }

    /// The effective access level of the struct: at most that of the types around it.
    ///
    /// Generated members name the struct in their signatures, so their access level must not be higher than this.
    var access: Access {
        let own = level(of: declaration.modifiers, inside: 0)
        return context.indices.reduce(own) { narrowest, depth in
            guard let modifiers = context[depth].asProtocol((any WithModifiersSyntax).self)?.modifiers else {
                return narrowest
            }
            // The macro cannot see the type that an extension extends. It assumes that its access level is high enough.
            if context[depth].is(ExtensionDeclSyntax.self) { return min(narrowest, modifiers.access ?? .public) }
            return min(narrowest, level(of: modifiers, inside: depth + 1))
        }
    }

    /// Whether other modules certainly see the struct with its declared access level, so that they may inline its members.
    var isExported: Bool {
        let isCertain = context.allSatisfy { node in
            node.as(ExtensionDeclSyntax.self).map { $0.modifiers.access != nil } ?? true
        }
        return isCertain && access >= .package && access == level(of: declaration.modifiers, inside: 0)
    }

    /// Returns the access level of a declaration, written or inherited from the extension directly around it.
    private func level(of modifiers: DeclModifierListSyntax, inside depth: Int) -> Access {
        if let written = modifiers.access { return written }
        guard context.indices.contains(depth) else { return .internal }
        return context[depth].as(ExtensionDeclSyntax.self)?.modifiers.access ?? .internal
    }

    init?(_ group: some DeclGroupSyntax, attribute: AttributeSyntax, context: [Syntax]) {
        guard let declaration = group.as(StructDeclSyntax.self) else { return nil }
        self.declaration = declaration
        self.attribute = attribute
        self.context = context
        indexes = declaration.attributes.plain.compactMap(IndexMarker.init)
        for member in declaration.memberBlock.members { read(member.decl) }
    }

    private mutating func read(_ member: DeclSyntax) {
        switch member.as(DeclSyntaxEnum.self) {
        case .variableDecl(let variable): read(variable)
        case .ifConfigDecl(let conditional): conditionals.append(conditional)
        case .initializerDecl: declaresInitializer = true
        case .functionDecl(let function): if function.name.text == "==" { equality = function }
        case .structDecl(let type): nestedTypes.append(type.name)
        case .enumDecl(let type): nestedTypes.append(type.name)
        case .classDecl(let type): nestedTypes.append(type.name)
        case .actorDecl(let type): nestedTypes.append(type.name)
        case .typeAliasDecl(let type): nestedTypes.append(type.name)
        default: break
        }
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
        let isStatic = variable.modifiers.contains(.static) || variable.modifiers.contains(.class)
        if isStatic {
            otherProperties.append(variable)
            staticNames += variable.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier }
            return
        }
        // In `var a, b: Int` the type of `b` is also that of `a`.
        var following: TypeSyntax?
        var found: [ParsedProperty] = []
        for binding in variable.bindings.reversed() {
            if let annotation = binding.typeAnnotation?.type { following = annotation }
            if binding.initializer != nil && binding.typeAnnotation == nil { following = nil }
            if binding.isComputed {
                otherProperties.append(variable)
            } else if let pattern = binding.pattern.as(IdentifierPatternSyntax.self) {
                let type = binding.typeAnnotation?.type ?? following
                found.append(ParsedProperty(binding, identifier: pattern.identifier, type: type, in: variable))
            } else {
                destructured.append(binding)
            }
        }
        properties += found.reversed()
    }
}
