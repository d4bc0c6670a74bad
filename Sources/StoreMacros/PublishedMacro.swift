import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Published`: a property of a class. A subject beside it, `_name`, stores its value, and `$name` returns its values.
struct PublishedMacro: AccessorMacro, PeerMacro {
    static let formatMode: FormatMode = .disabled

    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        var report = DiagnosticReport()
        defer { report.emit(in: context) }
        guard let property = PublishedProperty(declaration, node, in: context, &report) else { return [] }
        var accessors: [AccessorDeclSyntax] = [
            "get { _\(raw: property.name)._value { $0 == \\\(raw: property.owner).\(raw: property.name) } }",
            property.setter,
        ]
        if property.initialValue == nil {
            accessors.insert(
                """
                @storageRestrictions(initializes: _\(raw: property.name))
                init(initialValue) { _\(raw: property.name) = ModelStoreComponents.Subject(_published: initialValue) }
                """, at: 0)
        }
        return accessors
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The accessors' expansion reports the errors.
        var ignored = DiagnosticReport()
        guard let property = PublishedProperty(declaration, node, in: context, &ignored) else { return [] }
        let generic = property.type.map { "<\($0)>" } ?? ""
        let storage: DeclSyntax =
            property.initialValue.map {
                "private let _\(raw: property.name) = ModelStoreComponents.Subject\(raw: generic)(_published: \(raw: $0))"
            }
            ?? "private let _\(raw: property.name): ModelStoreComponents.Subject\(raw: generic)"
        return [
            storage,
            """
            \(raw: property.access)var $\(raw: property.name): ModelStoreComponents.SubjectValues\(raw: generic) {
                _\(raw: property.name).values
            }
            """,
        ] + property.observers.map(\.function)
    }
}

/// The parts of the property that the macro needs.
private struct PublishedProperty {
    let name: String
    let type: String?
    let initialValue: String?
    let access: String
    /// The class that declares it.
    let owner: String
    let observers: [PropertyObserver]

    /// Modifiers of a stored property that a separate subject cannot support.
    private static let unpublishable: [TokenKind] = [.keyword(.weak), .keyword(.unowned), .keyword(.lazy)]

    init?(
        _ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax, in context: some MacroExpansionContext,
        _ report: inout DiagnosticReport
    ) {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            variable.bindingSpecifier.tokenKind == .keyword(.var), !variable.modifiers.contains(.static),
            variable.bindings.count == 1, let binding = variable.bindings.first, !binding.isComputed,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName,
            let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.trimmedDescription
        else {
            report.add(.notPublishable, at: node)
            return nil
        }
        if let modifier = variable.modifiers.first(where: { Self.unpublishable.contains($0.name.tokenKind) }) {
            report.add(.publishedReference(modifier.name.text), at: node)
            return nil
        }
        let written = binding.typeAnnotation?.type
        guard let type = written?.trimmedDescription ?? InferredType.text(of: binding.initializer?.value) else {
            report.add(.publishedWithoutType(name), at: node)
            return nil
        }
        if let function = written?.plainFunction {
            report.add(.publishedClosure(name), at: node, fixIts: [.insert("@Sendable ", before: function)])
            return nil
        }
        self.name = name
        self.type = type
        self.owner = owner
        observers = PropertyObserver.all(name, type, binding)
        initialValue =
            binding.initializer?.value.trimmedDescription
            ?? (written?.is(OptionalTypeSyntax.self) ?? false ? "nil" : nil)
        // The peer of a private property can be private too, because it is declared in the same scope.
        access = variable.modifiers.accessModifier.map { $0.trimmedDescription + " " } ?? ""
    }

    var setter: AccessorDeclSyntax {
        let send = "_\(name)._send(newValue, of: self)"
        if observers.isEmpty { return "set { \(raw: send) }" }
        let calls = observers.map { "\($0.label): \($0.functionName)" }.joined(separator: ", ")
        return "set { _\(raw: name)._observe(newValue, \(raw: calls)) { newValue in \(raw: send) } }"
    }
}

/// A `willSet` or `didSet` of a property. It becomes a method, because Swift warns if a setter sets its own property.
private struct PropertyObserver {
    let functionName: String
    /// The argument of `_observe` that takes the method.
    let label: String
    let function: DeclSyntax

    static func all(_ property: String, _ type: String, _ binding: PatternBindingSyntax) -> [PropertyObserver] {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return [] }
        let kinds = [("willSet", "before", "newValue"), ("didSet", "after", "oldValue")]
        return kinds.compactMap { kind, label, parameter in
            guard let observer = accessors.first(where: { $0.accessorSpecifier.text == kind }) else { return nil }
            let functionName = "_\(label)_\(property)"
            let value = observer.parameters?.name.text ?? parameter
            let body = observer.body?.statements.trimmedDescription ?? ""
            return PropertyObserver(
                functionName: functionName, label: label,
                function: """
                    private func \(raw: functionName)(_ \(raw: value): \(raw: type)) {
                        \(raw: body)
                    }
                    """)
        }
    }
}
