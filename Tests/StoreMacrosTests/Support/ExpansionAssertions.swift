import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import StoreMacros

/// The macros as the package declares them, with the conformances that the compiler would request.
private let macros: [String: MacroSpec] = [
    "Record": MacroSpec(type: RecordMacro.self, conformances: ["Record", "Sendable", "Equatable"]),
    "Embedded": MacroSpec(type: EmbeddedMacro.self, conformances: ["EmbeddedValue", "Sendable", "Equatable"]),
    "ID": MacroSpec(type: FieldMarkerMacro.self),
    "Indexed": MacroSpec(type: FieldMarkerMacro.self),
    "Unique": MacroSpec(type: FieldMarkerMacro.self),
    "Transient": MacroSpec(type: FieldMarkerMacro.self),
    "Reference": MacroSpec(type: FieldMarkerMacro.self),
    "Renamed": MacroSpec(type: FieldMarkerMacro.self),
    "Index": MacroSpec(type: IndexMarkerMacro.self),
    "UniqueIndex": MacroSpec(type: IndexMarkerMacro.self),
    "Component": MacroSpec(type: ComponentMacro.self, conformances: ["Component"]),
    "Published": MacroSpec(type: PublishedMacro.self),
]

/// Expects that a source expands to a text, without a diagnostic.
func expectExpansion(of source: String, _ expected: String, at location: Testing.SourceLocation = #_sourceLocation) {
    assertMacroExpansion(
        source, expandedSource: expected, macroSpecs: macros,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) }
    )
}

/// An expected diagnostic, at a `▸` in the source.
struct ExpectedDiagnostic {
    let message: String
    let isError: Bool
    let fixIt: String?

    static func error(_ message: String, fixIt: String? = nil) -> ExpectedDiagnostic {
        ExpectedDiagnostic(message: message, isError: true, fixIt: fixIt)
    }

    static func warning(_ message: String, fixIt: String? = nil) -> ExpectedDiagnostic {
        ExpectedDiagnostic(message: message, isError: false, fixIt: fixIt)
    }
}

/// Expects diagnostics at each `▸` in a source, in order, and that the fix-its turn the source into `fixed`.
///
/// If one of them is an error, the macro must generate nothing, because half a conformance would only cause more compiler errors.
func expectDiagnostics(
    in marked: String,
    _ expected: [ExpectedDiagnostic],
    fixed: String? = nil,
    at location: Testing.SourceLocation = #_sourceLocation
) {
    let (source, places) = positions(in: marked)
    #expect(places.count == expected.count, "one ▸ for each diagnostic", sourceLocation: location)
    let diagnostics = zip(places, expected).map { place, diagnostic in
        DiagnosticSpec(
            message: diagnostic.message, line: place.line, column: place.column,
            severity: diagnostic.isError ? .error : .warning,
            fixIts: diagnostic.fixIt.map { [FixItSpec(message: $0)] } ?? []
        )
    }
    assertMacroExpansion(
        source, expandedSource: "", diagnostics: diagnostics, macroSpecs: macros, fixedSource: fixed,
        failureHandler: { failure in
            // The expansion itself is not checked here, only that an error prevents it.
            guard failure.message.hasPrefix("Macro expansion did not produce the expected expanded source") else {
                Issue.record("\(failure.message)", sourceLocation: location)
                return
            }
            if expected.contains(where: \.isError) && failure.message.contains("extension Sensor:") {
                Issue.record("an extension was generated in spite of the error", sourceLocation: location)
            }
        }
    )
}

private func positions(in marked: String) -> (source: String, places: [(line: Int, column: Int)]) {
    var source = ""
    var places: [(line: Int, column: Int)] = []
    var (line, column) = (1, 1)
    for character in marked {
        if character == "▸" {
            places.append((line, column))
            continue
        }
        source.append(character)
        (line, column) = character == "\n" ? (line + 1, 1) : (line, column + character.utf8.count)
    }
    return (source, places)
}
