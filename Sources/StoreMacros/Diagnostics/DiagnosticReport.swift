import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The diagnostics of a validation.
///
/// They are collected and not thrown, so that one build shows every mistake.
struct DiagnosticReport {
    private(set) var diagnostics: [Diagnostic] = []

    var hasErrors: Bool { diagnostics.contains { $0.diagMessage.severity == .error } }

    mutating func add(_ message: StoreDiagnostic, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnostics.append(Diagnostic(node: node, message: message, fixIts: fixIts))
    }

    /// Emits the diagnostics in the order of the source, whichever rule found them first.
    func emit(in context: some MacroExpansionContext) {
        for diagnostic in diagnostics.sorted(by: { $0.position < $1.position }) { context.diagnose(diagnostic) }
    }
}
