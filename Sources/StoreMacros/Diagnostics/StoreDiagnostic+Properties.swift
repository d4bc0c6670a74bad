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
                + "fields cannot have property wrappers or other macros, which change the stored value"
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
            "'\(text)' is evaluated again wherever '\(name)' is created or read; use "
                + "'\(spelling)', which the transaction fills in"
        )
    }

    static func clockDefault(_ name: String) -> StoreDiagnostic {
        .warning(
            "clockDefault",
            "the transaction fills in '.now' only for 'Date'; "
                + "'\(name)' gets the time at which the value is created"
        )
    }

    static func nowWithOwnInitializer(_ name: String) -> StoreDiagnostic {
        .warning(
            "nowWithOwnInitializer",
            "the struct's own initializer sets '.now' in '\(name)' to the time at which the value is created"
        )
    }

    static func tokenInEmbedded(_ name: String) -> StoreDiagnostic {
        .error("tokenInEmbedded", "'\(name)': the transaction fills in fields of a record, not of an embedded value")
    }

    static func transientWithoutValue(_ name: String) -> StoreDiagnostic {
        .error(
            "transientWithoutValue", "'@Transient' '\(name)' needs an initial value, because the store does not keep it"
        )
    }
}
