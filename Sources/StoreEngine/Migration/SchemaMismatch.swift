/// The errors for a program that cannot work with a record type as the store has it.
enum SchemaMismatch {
    /// The error that lists the differences.
    static func error(_ declared: RecordSchema, _ type: RecordType) -> StoreError {
        let differences = declared.differences(from: type.schema)
        if let earlier = type.earlierVersion(declaredBy: declared), earlier.version < type.oldestCompatibleVersion {
            return StoreError(
                .schemaMismatch,
                "the store has version \(type.version) of \(declared.name), which programs of version "
                    + "\(type.oldestCompatibleVersion) on can use; this one has version \(earlier.version): "
                    + differences.joined(separator: "; "),
                remedy: "use a newer program")
        }
        return refused(declared.name, differences)
    }

    /// The error for differences that opening the store does not bridge.
    static func refused(_ name: String, _ differences: [String]) -> StoreError {
        StoreError(
            .schemaMismatch, "the store's schema of \(name) differs: \(differences.joined(separator: "; "))",
            remedy: "open the store with a program that has a migration plan for it")
    }
}
