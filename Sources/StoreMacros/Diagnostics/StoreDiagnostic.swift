import SwiftDiagnostics

/// A diagnostic of these macros. Factories for the messages are in the files beside this one, grouped by subject.
///
/// Each message states the mistake and, if it is not obvious, the reason. The fix-it is the remedy.
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
