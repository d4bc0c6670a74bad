import SwiftSyntax

/// One stored instance property, as written.
struct ParsedProperty {
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    /// The name as written, with its backticks.
    let identifier: TokenSyntax
    /// The type that is written for it, here or further along in `var a, b: Int`.
    let type: TypeSyntax?
    let initialValue: InitialValue
    let markers: [Marker]
    /// Attributes with a capital letter that are not ours: property wrappers and other macros.
    let foreignAttributes: [AttributeSyntax]
    let access: Access
    /// What `private(set)` and the like leave of it.
    let setterAccess: Access?

    var name: String { identifier.plainName }
    var isLet: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }
    var isTransient: Bool { marker(.transient) != nil }
    var isID: Bool { marker(.id) != nil }

    func marker(_ kind: Marker.Kind) -> Marker? { markers.first { $0.kind == kind } }

    /// What an initial value is written after.
    var valueAnchor: Syntax { binding.typeAnnotation.map(Syntax.init) ?? Syntax(binding.pattern) }

    /// A modifier that stored fields cannot have.
    var unsupportedModifier: DeclModifierSyntax? {
        declaration.modifiers.first { modifier in
            [Keyword.lazy, .weak, .unowned].contains { modifier.name.tokenKind == .keyword($0) }
        }
    }

    init(
        _ binding: PatternBindingSyntax, identifier: TokenSyntax, type: TypeSyntax?, in declaration: VariableDeclSyntax
    ) {
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
    /// Whether it only computes. Observers keep a property stored.
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
