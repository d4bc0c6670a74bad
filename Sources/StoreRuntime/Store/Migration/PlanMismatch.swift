import StoreEngine

/// Explains why a store matches none of a plan's versions: how each version differs from the store's record types.
struct PlanMismatch {
    /// The most differences that the message lists for one version.
    private static let listedCount = 8

    private let plan: MigrationPlan
    private let types: [RecordType]
    private let retired: [RecordType]

    /// - Parameter types: all types of the store's catalog, including replaced ones.
    init(plan: MigrationPlan, types: [RecordType]) {
        self.plan = plan
        self.types = types.filter { $0.isReplaced != true }
        retired = types.filter { $0.isReplaced == true }
    }

    /// How one version differs from the store.
    private struct VersionDifference {
        let name: String
        var texts: [String] = []
        /// Whether the version only lacks parts that the store has.
        var isLack = true

        mutating func add(_ text: String, isLack: Bool) {
            texts.append(text)
            self.isLack = self.isLack && isLack
        }

        var text: String {
            var listed = Array(texts.prefix(PlanMismatch.listedCount))
            if texts.count > listed.count { listed.append("has \(texts.count - listed.count) more differences") }
            return "version \"\(name)\" \(listed.joined(separator: ", "))"
        }
    }

    /// The error that lists the differences of each version.
    var error: StoreError {
        let versions = plan.versions.indices.map(difference)
        return StoreError(
            .schemaMismatch,
            "no version of the migration plan matches this store: \(versions.map(\.text).joined(separator: "; "))",
            remedy: remedy(versions))
    }

    private func remedy(_ versions: [VersionDifference]) -> String {
        if let newest = plan.versions.last, newest.records.contains(where: isOlder) {
            return SchemaMismatch.newerProgram
        }
        guard let nearest = versions.min(by: { $0.texts.count < $1.texts.count }), nearest.isLack else {
            return "add a version with the record types that the store has"
        }
        return "add a version that declares \(nearest.texts.count == 1 ? "it" : "them")"
    }

    private func isOlder(_ record: any Record.Type) -> Bool {
        let schema = record.recordSchema
        guard let type = types.first(where: { $0.name == schema.name }) else { return false }
        return SchemaMismatch.isOlder(schema, than: type, retired: retired)
    }

    private func difference(of versionIndex: Int) -> VersionDifference {
        var difference = VersionDifference(name: plan.versions[versionIndex].name)
        for name in plan.replacedTypes(upTo: versionIndex) where types.contains(where: { $0.name == name }) {
            difference.add("comes after a step that replaces \(name), which the store still has", isLack: false)
        }
        for record in plan.versions[versionIndex].records { add(record.recordSchema, to: &difference) }
        return difference
    }

    private func add(_ declared: RecordSchema, to difference: inout VersionDifference) {
        guard let type = types.first(where: { $0.name == declared.name }) else {
            return difference.add("declares the record type \(declared.name), which the store lacks", isLack: false)
        }
        for found in declared.differences(from: type.schema) {
            if let text = found.text(ofVersionWith: declared.name) { difference.add(text, isLack: found.isLack) }
        }
        let fit = SchemaFit(declared, on: type)
        for (field, fieldIndex) in zip(declared.fields, fit.fieldIndexes) {
            guard let stored = fieldIndex.map({ type.fields[$0].name }), stored != field.name else { continue }
            difference.add(
                "declares the field \(declared.name).\(field.name), which is \(stored) in the store", isLack: false)
        }
    }
}
