/// Diagnostics for references to other records.
extension StoreDiagnostic {
    static func notAReference(_ type: String, _ name: String) -> StoreDiagnostic {
        .error(
            "notAReference",
            "'\(name)' does not refer to a record: '\(type)' is not a 'Reference' or a collection of references")
    }

    static func deleteRuleNotNamed() -> StoreDiagnostic {
        .error("deleteRuleNotNamed", "a delete rule must be '.deny', '.nullify', '.cascade' or '.none'")
    }

    static func nullifiedRequired(_ name: String) -> StoreDiagnostic {
        .error(
            "nullifiedRequired",
            "'\(name)' always refers to a record, so it cannot be nullified when that record is deleted")
    }

    static func nullifiedID(_ name: String) -> StoreDiagnostic {
        .error("nullifiedID", "'\(name)' is (part of) the id, which cannot be nullified")
    }

    static func referenceInEmbedded(_ name: String) -> StoreDiagnostic {
        .error(
            "referenceInEmbedded",
            "only a field of a record can refer to a record; store the id in '\(name)', or move the reference")
    }
}
