import SwiftSyntax
import SwiftSyntaxMacros

/// The place of a property in the source. The compiler reports errors of located code there, and not in the generated code.
struct SourcePlace {
    private let file: String
    private let line: String

    /// Nil for a property whose type is known to fit, and where the source is not known.
    init?(_ property: ParsedProperty, in context: some MacroExpansionContext) {
        guard property.mayNotFit,
            let place = context.location(of: property.binding, at: .afterLeadingTrivia, filePathMode: .filePath)
        else { return nil }
        file = place.file.description
        line = place.line.description
    }

    /// Returns code with this place. The compiler counts lines, so only its first line has the place.
    func located(_ code: String) -> String {
        """
        #sourceLocation(file: \(file), line: \(line))
        \(code)
        #sourceLocation()
        """
    }
}

extension ParsedProperty {
    /// Whether the spelling of its type does not show that the store holds, orders and compares its values.
    fileprivate var mayNotFit: Bool {
        guard let type else { return false }
        let isReference = type.unwrappedOptional.isReference || type.collectionElement?.isReference == true
        return type.mayNameOthers && !isReference
    }
}
