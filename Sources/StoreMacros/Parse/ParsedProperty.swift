import SwiftSyntax

/// One stored instance property, as written.
struct ParsedProperty {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The name as written, with its backticks.
    let identifier: TokenSyntax
    /// The written type, from this binding or from a later one, as in `var a, b: Int`; otherwise the type of the literal that is
    /// the initial value.
    let type: TypeSyntax?
    /// Whether the source contains `type`.
    let isTypeWritten: Bool
    let initialValue: InitialValue
    let markers: [Marker]
    /// Other attributes that begin with a capital letter: property wrappers and other macros.
    let foreignAttributes: [AttributeSyntax]
    let access: Access
    /// The access level of the setter from a modifier such as `private(set)`.
    let setterAccess: Access?

    var name: String { identifier.plainName }
    var isLet: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }
    var isTransient: Bool { marker(.transient) != nil }
    var isID: Bool { marker(.id) != nil }

    func marker(_ kind: Marker.Kind) -> Marker? { markers.first { $0.kind == kind } }

    /// The node after which an initial value is written.
    var valueAnchor: Syntax { binding.typeAnnotation.map(Syntax.init) ?? Syntax(binding.pattern) }

    /// The node at which diagnostics about the type belong.
    var typeAnchor: Syntax {
        if let type, isTypeWritten { return Syntax(type) }
        return Syntax(binding.pattern)
    }

    /// A modifier that stored fields cannot have.
    var unsupportedModifier: DeclModifierSyntax? {
        declaration.modifiers.first { modifier in
            [Keyword.lazy, .weak, .unowned].contains { modifier.name.tokenKind == .keyword($0) }
        }
    }

    /// - Parameter written: the type in the source.
    init(
        _ binding: PatternBindingSyntax, identifier: TokenSyntax, type written: TypeSyntax?,
        in declaration: VariableDeclSyntax
    ) {
        let type = written ?? InferredType.ofLiteral(binding.initializer?.value)
        isTypeWritten = written != nil
        self.declaration = declaration
        self.binding = binding
        self.identifier = identifier
        self.type = type
        let attributes = declaration.attributes.plain
        markers = attributes.compactMap(Marker.init)
        foreignAttributes = attributes.filter { Marker($0) == nil && $0.baseName.first?.isUppercase == true }
        access = declaration.modifiers.access ?? .internal
        setterAccess = declaration.modifiers.lazy.compactMap(Access.ofSetter).first
        let isVariable = declaration.bindingSpecifier.tokenKind == .keyword(.var)
        initialValue = InitialValue(
            binding.initializer?.value,
            type: type,
            isImplicitlyNil: isVariable && type?.is(OptionalTypeSyntax.self) == true
        )
    }
}

extension PatternBindingSyntax {
    /// Whether the property is computed. A property with observers is stored.
    var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            !accessors.allSatisfy {
                [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
            }
        }
    }
}
