import LMDB
import StoreEngine

/// Brings a store to the newest version of a plan, a transaction a version. On the writer thread.
struct MigrationRunner {
    let environment: LMDBEnvironment
    let options: StoreOptions
    let plan: MigrationPlan

    func run() throws {
        try requireNames()
        guard let newest = plan.versions.last else { return }
        while true {
            let state = try StoreOpening.edit(environment, options: options, records: []) { _ in }
            guard let current = try currentVersion(state) else {
                // Nothing in the store is older than the newest version.
                return try note(newest.name, state)
            }
            guard current + 1 < plan.versions.count else { return }
            try VersionMigration(environment: environment, options: options, version: plan.versions[current + 1])
                .run(from: state)
        }
    }

    private func requireNames() throws {
        let names = plan.versions.map(\.name)
        guard Set(names).count == names.count else {
            throw StoreError(.invalidValue, "two versions of the migration plan have one name", remedy: "rename one")
        }
    }

    /// The place in the plan of the version that the store has; nil for a store without record types.
    private func currentVersion(_ state: StoreState) throws -> Int? {
        if let name = try PlanVersion.read(environment, state) {
            if let place = plan.versions.firstIndex(where: { $0.name == name }) { return place }
            throw StoreError(
                .schemaMismatch, "the store has version \"\(name)\", which the migration plan does not know",
                remedy: "use a program with a newer plan")
        }
        if state.catalog.types.isEmpty { return nil }
        let fitting = plan.versions.lastIndex { version in
            version.records.allSatisfy { record in
                let schema = record.recordSchema
                guard let place = state.catalog.place(ofTypeNamed: schema.name) else { return false }
                let fit = SchemaFit(schema, on: state.catalog.types[place].type)
                return fit.servesFields && fit.undeclared.isEmpty
            }
        }
        if let fitting { return fitting }
        throw StoreError(
            .schemaMismatch, "the store fits no version of the migration plan",
            remedy: "add the version that it has, with the record types as they were")
    }

    private func note(_ name: String, _ state: StoreState) throws {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        let context = StoreOpening.context(options)
        _ = try ForeignWrites.note(&head, state.databases, context, in: &raw)
        try PlanVersion.write(name, state, in: &raw)
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
    }
}

/// The name of the version that a plan brought the store to.
private enum PlanVersion {
    static func read(_ environment: LMDBEnvironment, _ state: StoreState) throws -> String? {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        let key = MetadataKey.planVersion
        guard let text = unsafe try raw.snapshot.get(state.databases.metadata, key: key.span.bytes) else { return nil }
        return try String(from: text)
    }

    static func write(_ name: String, _ state: StoreState, in raw: inout LMDBWriteTransaction) throws {
        let (key, value) = (MetadataKey.planVersion, Array(name.utf8))
        unsafe try raw.put(state.databases.metadata, key: key.span.bytes, value: value.span.bytes)
    }
}

/// The transaction that brings a store to one version from the one before.
private struct VersionMigration {
    let environment: LMDBEnvironment
    let options: StoreOptions
    let version: MigrationVersion

    func run(from old: StoreState) throws {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        let context = StoreOpening.context(options)
        var head = try StoreFormat.head(old.databases, raw.snapshot)
        _ = try ForeignWrites.note(&head, old.databases, context, in: &raw)
        var editor = try CatalogEditor(raw: raw, databases: old.databases, head: head, context: context)
        var replaced: [(record: any Record.Type, type: RecordType)] = []
        for case let (old, new)? in version.steps.map(\.replacement) {
            guard let type = editor.type(named: old.recordSchema.name) else {
                throw StoreError(
                    .unknownType, "the store has no record type \(old.recordSchema.name) to make others of",
                    remedy: "check the name in its @Record(\"…\")")
            }
            replaced.append((old, type))
            try editor.addReplacement(new.recordSchema)
        }
        let made = version.steps.compactMap { $0.replacement.map { ObjectIdentifier($0.new) } }
        for record in version.records where !made.contains(ObjectIdentifier(record)) {
            try editor.adapt(to: record.recordSchema)
        }
        let edited = try editor.finish(version: old.catalog.version)
        let catalog = try Catalog(
            version: edited.version, types: edited.types, records: version.records,
            replaced: replaced.map { ($0.record, $0.type.id) })
        let state = StoreState(
            identity: old.identity, databases: old.databases, limits: old.limits, catalog: catalog)
        head = edited.head
        var transaction = WriteTransaction(raw: edited.intoRaw(), state: state, head: head, context: context)
        for step in version.steps { try step.run(&transaction) }
        // A record that a step left out, or gave another id, must not be referred to any more.
        for (_, type) in replaced { try transaction.noteReferences(toTypeNamed: type.name) }
        let finished = try transaction.finish()
        head = finished.head
        var last = try CatalogEditor(
            raw: finished.intoRaw(), databases: old.databases, head: head, context: context)
        for (_, type) in replaced { try last.retire(type) }
        let retired = try last.finish(version: catalog.version)
        head = retired.head
        // Nothing may refer to a type that is gone now.
        _ = try Catalog(version: retired.version, types: retired.types, records: [])
        raw = retired.intoRaw()
        try PlanVersion.write(version.name, old, in: &raw)
        try head.write(old.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
    }
}
