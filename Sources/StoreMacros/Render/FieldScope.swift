import SwiftSyntax
import SwiftSyntaxBuilder

/// Renders what the fields of a struct name of the declarations around it, as a member of the struct.
///
/// The extension that a macro makes of `House.Sensor` stands at the top of the file, where `Kind`, which the struct itself sees,
/// is `House.Kind`; from the spelling nobody can tell which names are such. So the struct gets a member, which sees what it sees,
/// with another name for each type and initial value that may be one of the names around it. Names of the standard library and of
/// Foundation are taken for those.
struct FieldScope {
    private let structure: ParsedStruct
    private static let name = "_Scope"

    /// Nil for a struct that no other declaration is around.
    init?(_ structure: ParsedStruct) {
        if structure.context.isEmpty { return nil }
        self.structure = structure
    }

    /// What the extension calls the type of a field; nil where it can be spelled there as it is.
    ///
    /// - Parameter number: the field's place among those that are stored.
    func type(of property: ParsedProperty, number: Int) -> String? {
        property.type?.mayNameOthers == true ? "\(Self.name).Type\(number)" : nil
    }

    /// What the extension has for the initial value of a field; nil where it can be spelled there as it is.
    func initialValue(of property: ParsedProperty, number: Int) -> InitialValue? {
        guard property.initialValue.scopedExpression != nil else { return nil }
        let reference: ExprSyntax = "\(raw: Self.name).initial\(raw: number)"
        if case .constant = property.initialValue { return .constant(reference) }
        return .expression(reference)
    }

    /// The member; nil where no field needs it.
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
    /// The expression, where it may name what the struct alone sees.
    fileprivate var scopedExpression: ExprSyntax? {
        switch self {
        case .constant(let expression), .expression(let expression): expression.mayNameOthers ? expression : nil
        case .none, .null, .token, .volatile: nil
        }
    }
}

extension TypeSyntax {
    /// Whether the type may be, or be made of, one that is declared around the struct.
    var mayNameOthers: Bool { NameCollector.names(in: Syntax(self)).mayBeOthers }
}

extension ExprSyntax {
    /// Whether the value may be made of something that is declared around the struct.
    fileprivate var mayNameOthers: Bool { NameCollector.names(in: Syntax(self)).mayBeOthers }
}

extension Set<String> {
    /// `Self` means the struct itself in the extension as well, and something else in the member.
    fileprivate var mayBeOthers: Bool { !contains("Self") && !isSubset(of: Self.knownNames) }

    private static let knownNames: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "Bool", "String", "Data", "UUID", "Date", "URL", "Decimal", "Duration", "Optional", "Array", "Set",
        "Dictionary", "Reference", "Swift", "Foundation", "ModelStore",
    ]
}

/// Collects the names that a type or an expression begins with: not those behind a dot.
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
