import SwiftDiagnostics

/// A message of ours. The messages themselves are factories, gathered by what they are about in the files beside this
/// one.
///
/// Each says what is wrong and, where it is not obvious, why; the remedy is the fix-it.
struct StoreDiagnostic: DiagnosticMessage {
    let diagnosticID: MessageID
    let message: String
    let severity: DiagnosticSeverity

    static func error(_ id: String, _ message: String) -> StoreDiagnostic {
        StoreDiagnostic(diagnosticID: MessageID(domain: "StoreMacros", id: id), message: message, severity: .error)
    }

    static func warning(_ id: String, _ message: String) -> StoreDiagnostic {
        StoreDiagnostic(diagnosticID: MessageID(domain: "StoreMacros", id: id), message: message, severity: .warning)
    }
}
