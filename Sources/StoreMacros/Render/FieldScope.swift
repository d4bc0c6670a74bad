import SwiftSyntax
import SwiftSyntaxBuilder

/// Renders aliases for the names that a struct's fields use from the declarations around it, as a member of the struct.
///
/// A macro's extension of `House.Sensor` is at file level. There, a type `Kind` that the struct sees must be written
/// `House.Kind`, and the spelling does not show which names need that. The struct therefore gets a member, which sees the same
/// names as the struct. The member has an alias for each type and initial value that may use a name from the declarations around
/// it. Names of the standard library and of Foundation are assumed not to need an alias.
struct FieldScope {
    private let structure: ParsedStruct
    private static let name = "_Scope"

    /// Nil for a struct at file level.
    init?(_ structure: ParsedStruct) {
        if structure.context.isEmpty { return nil }
        self.structure = structure
    }

    /// Returns the name of a field's type in the extension; nil if its spelling is valid there.
    ///
    /// - Parameter number: the index of the field among the stored fields.
    func type(of property: ParsedProperty, number: Int) -> String? {
        property.type?.mayNameOthers == true ? "\(Self.name).Type\(number)" : nil
    }

    /// Returns the initial value of a field in the extension; nil if its spelling is valid there.
    func initialValue(of property: ParsedProperty, number: Int) -> InitialValue? {
        guard property.initialValue.scopedExpression != nil else { return nil }
        let reference: ExprSyntax = "\(raw: Self.name).initial\(raw: number)"
        if case .constant = property.initialValue { return .constant(reference) }
        return .expression(reference)
    }

    /// Renders the member; nil if no field needs it.
    func rendered() -> DeclSyntax? {
        let members = structure.properties.filter { !$0.isTransient }.enumerated().flatMap { number, property in
            self.members(property, number: number)
        }
        if members.isEmpty { return nil }
        return """
            \(raw: structure.access.modifier)nonisolated enum \(raw: Self.name) {
            \(raw: members.joined(separator: "\n").indented)
            }
            """
    }

    private func members(_ property: ParsedProperty, number: Int) -> [String] {
        guard let type = property.type else { return [] }
        let modifier = min(property.access, structure.access).modifier
        var members: [String] = []
        if type.mayNameOthers { members.append("\(modifier)typealias Type\(number) = \(type.trimmedDescription)") }
        if let value = property.initialValue.scopedExpression {
            members.append("\(modifier)static var initial\(number): \(type.trimmedDescription) { \(value) }")
        }
        return members
    }
}

extension InitialValue {
    /// The expression, if it may use names that only the struct sees.
    fileprivate var scopedExpression: ExprSyntax? {
        switch self {
        case .constant(let expression), .expression(let expression): expression.mayNameOthers ? expression : nil
        case .none, .null, .token, .volatile: nil
        }
    }
}

extension TypeSyntax {
    /// Whether the type may use a type that is declared around the struct.
    var mayNameOthers: Bool { NameCollector.names(in: Syntax(self)).mayBeOthers }
}

extension ExprSyntax {
    /// Whether the value may use a declaration around the struct.
    fileprivate var mayNameOthers: Bool { NameCollector.names(in: Syntax(self)).mayBeOthers }
}

extension Set<String> {
    /// `Self` means the struct in the extension too, but another type in the member.
    fileprivate var mayBeOthers: Bool { !contains("Self") && !isSubset(of: Self.knownNames) }

    private static let knownNames: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "Bool", "String", "Data", "UUID", "Date", "URL", "Decimal", "Duration", "Optional", "Array", "Set",
        "Dictionary", "Reference", "Swift", "Foundation", "ModelStore",
    ]
}

/// Collects the first name of each type and expression: names after a dot are not included.
private final class NameCollector: SyntaxVisitor {
    private var names: Set<String> = []

    static func names(in syntax: Syntax) -> Set<String> {
        let collector = NameCollector(viewMode: .sourceAccurate)
        collector.walk(syntax)
        return collector.names
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.name.text)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        if let base = node.base { walk(base) }
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        names.insert(node.baseName.text)
        return .visitChildren
    }
}
