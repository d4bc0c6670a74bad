/// Diagnostics for `@Index` and `@UniqueIndex` on a record.
extension StoreDiagnostic {
    static func indexOutsideRecord(_ attribute: String) -> StoreDiagnostic {
        .error("indexOutsideRecord", "'@\(attribute)' is valid only on a struct marked '@Record'")
    }

    static func indexNameNotLiteral() -> StoreDiagnostic {
        .error("indexNameNotLiteral", "an index names its properties by string literals")
    }

    static func indexUnknownProperty(_ name: String, record: String) -> StoreDiagnostic {
        .error("indexUnknownProperty", "'\(record)' has no stored property '\(name)'")
    }

    static func indexTransientProperty(_ name: String) -> StoreDiagnostic {
        .error("indexTransientProperty", "'\(name)' is '@Transient', so it cannot be indexed")
    }

    static func indexRepeatsProperty(_ name: String) -> StoreDiagnostic {
        .error("indexRepeatsProperty", "'\(name)' is in this index twice")
    }

    static func indexEmpty(_ attribute: String) -> StoreDiagnostic {
        .error("indexEmpty", "'@\(attribute)' names no property")
    }

    static func indexOfOne(_ attribute: String, use marker: String, _ name: String) -> StoreDiagnostic {
        .error(
            "indexOfOne",
            "'@\(attribute)' is for several properties; for a single property, use '@\(marker)' on '\(name)'")
    }

    static func indexTwice() -> StoreDiagnostic {
        .warning("indexTwice", "there is already an index of these properties in this order")
    }

    static func indexIsID() -> StoreDiagnostic {
        .warning("indexIsID", "these properties in this order are the id, which is already unique and indexed")
    }
}
