import LMDB
import StoreEngine

/// The transaction that brings a store from one version to the next.
struct VersionMigration {
    let environment: LMDBEnvironment
    let options: StoreOptions
    let version: MigrationVersion

    /// Runs the migration. Does nothing if the store no longer has the state `old` and the version `name`.
    func run(from old: StoreState, name: String?) throws {
        var raw = try mapLMDB { () throws(LMDBError) in
            try environment.beginWrite(patience: options.writeTimeout)
        }
        guard try PlanVersion.isUnchanged(old, name, raw.snapshot) else { return }
        try StoreFormat.require(
            StoreFormat.versionWithoutLog, for: "the migration to the version \"\(version.name)\"", old.databases,
            raw.snapshot)
        var context = StoreOpening.context(options)
        context.origin = context.origin.writing(.migration(from: name, to: version.name))
        var head = try StoreFormat.head(old.databases, raw.snapshot)
        _ = try ForeignWrites.note(&head, old.databases, context, in: &raw)
        var editor = try CatalogEditor(raw: raw, databases: old.databases, head: head, context: context)
        let replaced = try replacedTypes(in: &editor)
        try addTypes(replacing: replaced, in: &editor)
        let edited = try editor.finish(version: old.catalog.version)
        let catalog = try Catalog(
            version: edited.version, types: edited.types, records: version.records,
            replaced: replaced.map { ($0.record, $0.type.id) })
        let state = StoreState(
            identity: old.identity, databases: old.databases, limits: old.limits, catalog: catalog)
        head = edited.head
        var transaction = WriteTransaction(raw: edited.intoRaw(), state: state, head: head, context: context)
        for step in version.steps { try step.run(&transaction) }
        // No record may refer to a record that a step left out or gave another id.
        let ended = replaced.map(\.type).reduce(into: [RecordType]()) { types, type in
            if !types.contains(where: { $0.id == type.id }) { types.append(type) }
        }
        for type in ended { try transaction.noteReferences(toTypeNamed: type.name) }
        let finished = try transaction.finish()
        head = finished.head
        var last = try CatalogEditor(
            raw: finished.intoRaw(), databases: old.databases, head: head, context: context)
        for type in ended { try last.retire(type) }
        let retired = try last.finish(version: catalog.version)
        head = retired.head
        // No type may refer to a type that the migration has removed.
        _ = try Catalog(version: retired.version, types: retired.types, records: [])
        raw = retired.intoRaw()
        try PlanVersion.write(version.name, old, in: &raw)
        try head.write(old.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
    }

    /// Returns the Swift types whose records the steps replace, each with its type in the store. Adds a type that the store never
    /// had for the length of the migration, so that its steps find no records.
    private func replacedTypes(in editor: inout CatalogEditor) throws -> [Replaced] {
        var found: [Replaced] = []
        for case let (old, new)? in version.steps.map(\.replacement) {
            guard ObjectIdentifier(old) != ObjectIdentifier(new) else {
                throw StoreError(
                    .invalidValue, "a step to the version \"\(version.name)\" replaces \(old) with itself",
                    remedy: "use a changing step, or declare the type as it was under another Swift name")
            }
            let schema = old.recordSchema
            found.append(Replaced(record: old, type: try editor.type(named: schema.name) ?? editor.add(schema)))
        }
        return found
    }

    /// Adds the types that steps create, each once, and adapts all others. Several steps may make records of one type. A step may
    /// also make records of a type that the store has and no step replaces, or of a type that a later step replaces.
    private func addTypes(replacing replaced: [Replaced], in editor: inout CatalogEditor) throws {
        var made = Set(replaced.map { ObjectIdentifier($0.record) })
        for case let (_, new)? in version.steps.map(\.replacement) where made.insert(ObjectIdentifier(new)).inserted {
            let schema = new.recordSchema
            if editor.type(named: schema.name) == nil || replaced.contains(where: { $0.type.name == schema.name }) {
                try editor.addReplacement(schema)
            } else {
                try editor.adapt(to: schema)
            }
        }
        for record in version.records where !made.contains(ObjectIdentifier(record)) {
            try editor.adapt(to: record.recordSchema)
        }
    }
}

/// A Swift type whose records a step replaces, and its type in the store.
private struct Replaced {
    let record: any Record.Type
    let type: RecordType
}
