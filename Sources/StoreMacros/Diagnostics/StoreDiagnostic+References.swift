/// Diagnostics for references to other records.
extension StoreDiagnostic {
    static func notAReference(_ type: String, _ name: String) -> StoreDiagnostic {
        .error("notAReference", "'\(name)' refers to no record: '\(type)' is no 'Reference', nor a collection of some")
    }

    static func deleteRuleNotNamed() -> StoreDiagnostic {
        .error("deleteRuleNotNamed", "a delete rule is written '.deny', '.nullify', '.cascade' or '.none'")
    }

    static func nullifiedRequired(_ name: String) -> StoreDiagnostic {
        .error(
            "nullifiedRequired", "'\(name)' always refers to a record, so it cannot be nullified when that is deleted")
    }

    static func nullifiedID(_ name: String) -> StoreDiagnostic {
        .error("nullifiedID", "'\(name)' is (part of) the id, which cannot be nullified")
    }

    static func referenceInEmbedded(_ name: String) -> StoreDiagnostic {
        .error(
            "referenceInEmbedded",
            "'\(name)' refers to a record, which only a field of a record can; keep the id here, or move the reference")
    }
}
