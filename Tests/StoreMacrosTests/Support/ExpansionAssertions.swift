import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import StoreMacros

/// The macros as the package declares them, with the conformances the compiler would ask for.
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

/// Expects a source to expand to a text, without a diagnostic.
func expectExpansion(of source: String, _ expected: String, at location: Testing.SourceLocation = #_sourceLocation) {
    assertMacroExpansion(
        source, expandedSource: expected, macroSpecs: macros,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: location) }
    )
}

/// A diagnostic that a source should get where it says `▸`.
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

/// Expects a source to be diagnosed at each `▸` in it, in order, and to become `fixed` by the fix-its.
///
/// With an error among them nothing must be generated: half a conformance would only add errors of the compiler's.
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
            // What it expands to is not asserted here, only that it does not if there is an error.
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
