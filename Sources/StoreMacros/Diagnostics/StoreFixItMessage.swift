import SwiftDiagnostics
import SwiftSyntax

private struct StoreFixItMessage: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "StoreMacros", id: message) }
}

/// Fix-its as text edits: they change only the words concerned and keep the layout around them.
extension FixIt {
    private init(_ message: String, _ changes: [Change]) {
        self.init(message: StoreFixItMessage(message: message), changes: changes)
    }

    /// Removes an attribute with the space or line break that follows it.
    static func remove(_ attribute: AttributeSyntax) -> FixIt {
        FixIt("remove '\(attribute.trimmedDescription)'", [.remove(attribute)])
    }

    static func replace(_ node: some SyntaxProtocol, with text: String) -> FixIt {
        FixIt("replace '\(node.trimmedDescription)' with '\(text)'", [.replace(node, with: text)])
    }

    /// Inserts text directly after a node, before its trailing space.
    static func insert(_ text: String, after node: some SyntaxProtocol) -> FixIt {
        FixIt("add '\(text.trimmed)'", [.insert(text, after: node)])
    }

    static func insert(_ text: String, before node: some SyntaxProtocol) -> FixIt {
        FixIt("add '\(text.trimmed)'", [.insert(text, before: node)])
    }

    /// Replaces `let` with `var`, and adds the missing part of the binding.
    static func makeVariable(_ property: ParsedProperty, adding text: String = "") -> FixIt {
        let specifier = property.declaration.bindingSpecifier
        var changes = [Change.replace(specifier, with: "var")]
        if !text.isEmpty { changes.append(.insert(text, after: property.valueAnchor)) }
        return FixIt(
            text.isEmpty ? "replace 'let' with 'var'" : "replace 'let' with 'var' and add '\(text.trimmed)'", changes)
    }

    /// Moves an index of one field from the record to the field.
    static func move(_ attribute: AttributeSyntax, to text: String, on property: ParsedProperty) -> FixIt {
        FixIt(
            "mark '\(property.name)' '\(text)' instead",
            [.remove(attribute), .insert(text + " ", before: property.declaration)]
        )
    }
}

extension FixIt.Change {
    fileprivate static func remove(_ attribute: AttributeSyntax) -> FixIt.Change {
        let end = attribute.nextToken(viewMode: .sourceAccurate)?.positionAfterSkippingLeadingTrivia
        let range = attribute.positionAfterSkippingLeadingTrivia..<(end ?? attribute.endPosition)
        return .replaceText(range: range, with: "", in: Syntax(attribute))
    }

    fileprivate static func replace(_ node: some SyntaxProtocol, with text: String) -> FixIt.Change {
        let range = node.positionAfterSkippingLeadingTrivia..<node.endPositionBeforeTrailingTrivia
        return .replaceText(range: range, with: text, in: Syntax(node))
    }

    fileprivate static func insert(_ text: String, after node: some SyntaxProtocol) -> FixIt.Change {
        let position = node.endPositionBeforeTrailingTrivia
        return .replaceText(range: position..<position, with: text, in: Syntax(node))
    }

    fileprivate static func insert(_ text: String, before node: some SyntaxProtocol) -> FixIt.Change {
        let position = node.positionAfterSkippingLeadingTrivia
        return .replaceText(range: position..<position, with: text, in: Syntax(node))
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
