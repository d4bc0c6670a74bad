/// The errors for a program that cannot use a record type in the form that the store has.
package enum SchemaMismatch {
    /// The remedy for a program that is older than the store.
    package static let newerProgram = "use the newer program"

    /// Creates the error for a declaration that a record type does not serve.
    ///
    /// - Parameter retired: the types that migrations replaced.
    static func error(_ declared: RecordSchema, _ type: RecordType, retired: [RecordType]) -> StoreError {
        let differences = declared.differences(from: type.schema).map(\.description)
        if let reason = newness(of: type, to: declared, retired: retired) { return older(reason, differences) }
        // The time does not affect whether steps exist.
        let evolution = SchemaEvolution(of: type, to: declared, mode: .opening, now: 0)
        guard evolution.refusals.isEmpty else { return refused(declared.name, evolution.refusals) }
        return StoreError(
            .schemaMismatch, text(declared.name, differences),
            remedy: "open the store for writing once, which adapts the record type")
    }

    /// Creates the error for differences that the store does not resolve when it opens.
    static func refused(_ name: String, _ differences: [String]) -> StoreError {
        StoreError(
            .schemaMismatch, text(name, differences),
            remedy: "open the store with a program that has a migration plan for it")
    }

    /// Creates the error for a program that declares a record type which a migration removed from the store; nil if none did.
    static func removed(_ declared: RecordSchema, retired: [RecordType]) -> StoreError? {
        guard wasRetired(declared, retired) else { return nil }
        return older("a migration removed the record type \(declared.name)", [])
    }

    /// Creates the error for a program that declares a record type as it was before a migration replaced it; nil if none did.
    static func replaced(_ declared: RecordSchema, by type: RecordType, retired: [RecordType]) -> StoreError? {
        guard wasRetired(declared, retired), !SchemaFit(declared, on: type).servesFields else { return nil }
        let differences = declared.differences(from: type.schema).map(\.description)
        return older("a migration replaced the record type \(declared.name)", differences)
    }

    /// Returns whether a type that a migration replaced, or an earlier version of such a type, had exactly the declared fields.
    private static func wasRetired(_ declared: RecordSchema, _ retired: [RecordType]) -> Bool {
        retired.contains { type in
            guard type.name == declared.name else { return false }
            if type.earlierVersion(declaredBy: declared) != nil { return true }
            let fit = SchemaFit(declared, on: type)
            return fit.servesFields && fit.undeclared.isEmpty && fit.partial.isEmpty
        }
    }

    /// Creates the error for a running program that cannot use the catalog after another program changed it.
    package static func whileRunning(_ error: StoreError) -> StoreError {
        guard error.code == .schemaMismatch || error.code == .unknownType else { return error }
        let isSaid = error.remedy == newerProgram
        return StoreError(
            .schemaMismatch,
            isSaid ? error.message : "another program changed the record types while this one ran: \(error.message)",
            remedy: newerProgram, cause: error)
    }

    /// Returns whether the store is newer than a program, because an earlier form of the type served the program's declaration.
    package static func isOlder(_ declared: RecordSchema, than type: RecordType, retired: [RecordType]) -> Bool {
        newness(of: type, to: declared, retired: retired) != nil
    }

    /// Returns the reason why a type is too new for a program that an earlier version or a replaced type served; nil if there is
    /// none.
    private static func newness(of type: RecordType, to declared: RecordSchema, retired: [RecordType]) -> String? {
        if SchemaFit(declared, on: type).servesFields { return nil }
        if let earlier = type.earlierVersion(declaredBy: declared), earlier.version < type.oldestCompatibleVersion {
            return "the store has version \(type.version) of \(declared.name), for programs of version "
                + "\(type.oldestCompatibleVersion) or newer, and this program has version \(earlier.version)"
        }
        if type.earlierVersions.contains(where: { SchemaFit(declared, on: type.past($0)).servesFields }) {
            return "the record type \(declared.name) has changed"
        }
        let isReplaced = retired.contains { $0.name == declared.name && SchemaFit(declared, on: $0).servesFields }
        return isReplaced ? "a migration replaced the record type \(declared.name)" : nil
    }

    private static func older(_ reason: String, _ differences: [String]) -> StoreError {
        let details = differences.isEmpty ? "" : ": \(differences.joined(separator: "; "))"
        return StoreError(
            .schemaMismatch, "the store is newer than this program: \(reason)\(details)", remedy: newerProgram)
    }

    private static func text(_ name: String, _ differences: [String]) -> String {
        "the store's schema of \(name) differs: \(differences.joined(separator: "; "))"
    }
}

extension RecordType {
    /// Returns the type as it was in an earlier version, without its indexes.
    fileprivate func past(_ earlier: EarlierVersion) -> RecordType {
        var past = self
        past.version = earlier.version
        past.fields = earlier.fields
        past.idFields = earlier.idFields ?? idFields
        past.indexes = []
        past.earlierVersions = earlierVersions.filter { $0.version < earlier.version }
        return past
    }
}
