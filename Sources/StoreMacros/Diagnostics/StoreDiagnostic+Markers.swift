/// Diagnostics for the attributes on properties.
extension StoreDiagnostic {
    static func markerOutsideRecord(_ marker: String) -> StoreDiagnostic {
        .error(
            "markerOutsideRecord", "'@\(marker)' is valid only inside a struct marked '@Record' or '@Embedded'")
    }

    static func markerNotOnStoredProperty(_ marker: String) -> StoreDiagnostic {
        .error("markerNotOnStoredProperty", "'@\(marker)' is for stored properties")
    }

    static func markerInEmbedded(_ marker: String) -> StoreDiagnostic {
        .error(
            "markerInEmbedded", "'@\(marker)' is for fields of a record; embedded values have no keys and no indexes")
    }

    static func duplicateMarker(_ marker: String, _ name: String) -> StoreDiagnostic {
        .error("duplicateMarker", "'\(name)' is marked '@\(marker)' twice")
    }

    static func redundantIndexed(_ name: String) -> StoreDiagnostic {
        .warning("redundantIndexed", "'@Unique' already gives '\(name)' an index")
    }

    static func redundantOnID(_ marker: String, _ name: String) -> StoreDiagnostic {
        .warning("redundantOnID", "'@ID' already makes '\(name)' unique and indexed")
    }

    static func transientMarked(_ marker: String, _ name: String) -> StoreDiagnostic {
        .error("transientMarked", "'\(name)' is '@Transient', so it is not in the store and '@\(marker)' has no effect")
    }

    static func unindexableType(_ marker: String, _ type: String, _ name: String) -> StoreDiagnostic {
        .error("unindexableType", "'\(name)' cannot be '@\(marker)': '\(type)' has no order as a key")
    }

    static func optionalID(_ name: String) -> StoreDiagnostic {
        .error("optionalID", "'@ID' '\(name)' cannot be optional: every record has an id")
    }

    static func unknownIDArgument() -> StoreDiagnostic {
        .error("unknownIDArgument", "'@ID' takes '.assigned' or no argument")
    }

    static func assignedNotInteger(_ type: String, _ name: String) -> StoreDiagnostic {
        .error("assignedNotInteger", "the store assigns integers: '\(name)' cannot be '\(type)'")
    }

    static func assignedComposite(_ name: String) -> StoreDiagnostic {
        .error("assignedComposite", "the store assigns single ids: '\(name)' is one of several '@ID' properties")
    }

    static func assignedConstant(_ name: String) -> StoreDiagnostic {
        .error(
            "assignedConstant", "'\(name)' is assigned by the store at insert, so it must be a 'var' that starts at 0")
    }

    static func assignedWithoutZero(_ name: String) -> StoreDiagnostic {
        .error("assignedWithoutZero", "'\(name)' is assigned by the store at insert, so it must start at 0")
    }

    static func oldNameNotLiteral() -> StoreDiagnostic {
        .error("oldNameNotLiteral", "an old name must be a string literal without interpolation")
    }

    static func oldNameMissing() -> StoreDiagnostic {
        .error("oldNameMissing", "'@Renamed' needs the name that the field had before")
    }

    static func oldNameIsCurrent(_ name: String) -> StoreDiagnostic {
        .error("oldNameIsCurrent", "'\(name)' already has this name")
    }

    static func oldNameInUse(_ old: String) -> StoreDiagnostic {
        .error("oldNameInUse", "'\(old)' is the name of another field, so it cannot be an old name")
    }

    static func oldNameTwice(_ old: String) -> StoreDiagnostic {
        .error("oldNameTwice", "'\(old)' is given as an old name twice")
    }
}
