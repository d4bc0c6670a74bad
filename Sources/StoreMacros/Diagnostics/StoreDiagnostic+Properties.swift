/// Diagnostics for one stored property, its type and its initial value.
extension StoreDiagnostic {
    static func missingType(_ name: String) -> StoreDiagnostic {
        .error("missingType", "'\(name)' needs an explicit type: the macro sees the source, not the inferred type")
    }

    static func destructured() -> StoreDiagnostic {
        .error("destructured", "a stored field needs a declaration of its own")
    }

    static func unsupportedModifier(_ modifier: String, _ name: String) -> StoreDiagnostic {
        .error(
            "unsupportedModifier",
            "'\(name)' cannot be '\(modifier)' and a stored field; mark it '@Transient' or change it")
    }

    static func lazyProperty(_ name: String) -> StoreDiagnostic {
        .error("lazyProperty", "'\(name)' cannot be lazy: reading a record must not change it")
    }

    static func foreignAttribute(_ attribute: String, _ name: String) -> StoreDiagnostic {
        .error(
            "foreignAttribute",
            "'@\(attribute)' on '\(name)': "
                + "property wrappers and other macros change what is stored, and fields cannot have them"
        )
    }

    static func unsupportedType(_ type: String, _ name: String, advice: String) -> StoreDiagnostic {
        .error("unsupportedType", "'\(name)' cannot be stored as '\(type)': \(advice)")
    }

    static func constantWithValue(_ name: String) -> StoreDiagnostic {
        .error(
            "constantWithValue",
            "'\(name)' is a 'let' with an initial value, which reading from the store cannot replace")
    }

    static func volatileDefault(_ text: String, _ spelling: String, _ name: String) -> StoreDiagnostic {
        .error(
            "volatileDefault",
            "'\(text)' is evaluated anew wherever '\(name)' is made or read; "
                + "'\(spelling)' is filled in from the transaction"
        )
    }

    static func clockDefault(_ name: String) -> StoreDiagnostic {
        .warning(
            "clockDefault",
            "'.now' is filled in from the transaction for 'Date' only; "
                + "'\(name)' gets the time at which the value is made"
        )
    }

    static func nowWithOwnInitializer(_ name: String) -> StoreDiagnostic {
        .warning(
            "nowWithOwnInitializer",
            "the struct's own initializer leaves '.now' in '\(name)' as the time at which the value is made"
        )
    }

    static func tokenInEmbedded(_ name: String) -> StoreDiagnostic {
        .error("tokenInEmbedded", "'\(name)': the transaction fills in fields of a record, not of an embedded value")
    }

    static func transientWithoutValue(_ name: String) -> StoreDiagnostic {
        .error("transientWithoutValue", "'@Transient' '\(name)' needs an initial value: nothing of it is stored")
    }
}
