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
            let name = try PlanVersion.read(environment, state)
            guard let current = try currentVersion(state, name: name) else {
                // Nothing in the store is older than the newest version.
                if try note(newest.name, state, from: name) { return }
                continue
            }
            guard current + 1 < plan.versions.count else { return }
            try VersionMigration(environment: environment, options: options, version: plan.versions[current + 1])
                .run(from: state, name: name)
        }
    }

    private func requireNames() throws {
        let names = plan.versions.map(\.name)
        guard Set(names).count == names.count else {
            throw StoreError(.invalidValue, "two versions of the migration plan have one name", remedy: "rename one")
        }
    }

    /// The place in the plan of the version that the store has; nil for a store without record types.
    private func currentVersion(_ state: StoreState, name: String?) throws -> Int? {
        if let name {
            if let place = plan.versions.firstIndex(where: { $0.name == name }) {
                return state.catalog.types.isEmpty && place + 1 < plan.versions.count ? nil : place
            }
            throw StoreError(
                .schemaMismatch, "the store has version \"\(name)\", which the migration plan does not know",
                remedy: "use a program with a newer plan")
        }
        if state.catalog.types.isEmpty { return nil }
        let fitting = plan.versions.indices.last { place in
            let version = plan.versions[place]
            return !hasReplaced(upTo: place, state)
                && version.records.allSatisfy { record in
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

    /// Whether the store has a type that a step to the version, or one before it, makes others of and leaves no more.
    private func hasReplaced(upTo place: Int, _ state: StoreState) -> Bool {
        let declared = plan.versions[place].records.map { $0.recordSchema.name }
        for step in plan.versions[...place].flatMap({ $0.steps }) {
            guard let name = step.replacement?.old.recordSchema.name, !declared.contains(name) else { continue }
            if state.catalog.place(ofTypeNamed: name) != nil { return true }
        }
        return false
    }

    /// - Returns: whether the store was still as `state` and `before` say; otherwise nothing was done.
    private func note(_ name: String, _ state: StoreState, from before: String?) throws -> Bool {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        guard try PlanVersion.isUnchanged(state, before, raw.snapshot) else { return false }
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        let context = StoreOpening.context(options)
        _ = try ForeignWrites.note(&head, state.databases, context, in: &raw)
        try PlanVersion.write(name, state, in: &raw)
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        return true
    }
}

/// The name of the version that a plan brought the store to.
private enum PlanVersion {
    static func read(_ environment: LMDBEnvironment, _ state: StoreState) throws -> String? {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        return try read(state.databases, raw.snapshot)
    }

    private static func read(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws -> String? {
        let key = MetadataKey.planVersion
        guard let text = unsafe try snapshot.get(databases.metadata, key: key.span.bytes) else { return nil }
        return try String(from: text)
    }

    /// Whether no other process has changed the catalog or brought the store to another version since it was looked at,
    /// which would make a step run a second time.
    static func isUnchanged(_ state: StoreState, _ name: String?, _ snapshot: LMDBSnapshot) throws -> Bool {
        try StoreFormat.catalogVersion(state.databases, snapshot) == state.catalog.version
            && read(state.databases, snapshot) == name
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

    /// Does nothing when the store is not as `old` and `name` say any more.
    func run(from old: StoreState, name: String?) throws {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        guard try PlanVersion.isUnchanged(old, name, raw.snapshot) else { return }
        let context = StoreOpening.context(options)
        var head = try StoreFormat.head(old.databases, raw.snapshot)
        _ = try ForeignWrites.note(&head, old.databases, context, in: &raw)
        var editor = try CatalogEditor(raw: raw, databases: old.databases, head: head, context: context)
        let replaced = try replacedTypes(editor)
        try addTypes(replacing: replaced.map(\.type), in: &editor)
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
        // Nothing may refer to a type that is gone now.
        _ = try Catalog(version: retired.version, types: retired.types, records: [])
        raw = retired.intoRaw()
        try PlanVersion.write(version.name, old, in: &raw)
        try head.write(old.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
    }

    /// The Swift types whose records others take the place of, with what the store has of them.
    private func replacedTypes(
        _ editor: borrowing CatalogEditor
    ) throws -> [(record: any Record.Type, type: RecordType)] {
        var found: [(record: any Record.Type, type: RecordType)] = []
        for case let (old, new)? in version.steps.map(\.replacement) {
            guard ObjectIdentifier(old) != ObjectIdentifier(new) else {
                throw StoreError(
                    .invalidValue, "a step to the version \"\(version.name)\" makes \(old) of itself",
                    remedy: "use a changing step, or declare the type as it was under another Swift name")
            }
            guard let type = editor.type(named: old.recordSchema.name) else {
                throw StoreError(
                    .unknownType, "the store has no record type \(old.recordSchema.name) to make others of",
                    remedy: "check the name in its @Record(\"…\")")
            }
            found.append((old, type))
        }
        return found
    }

    /// Adds the types that steps make, each once, and adapts all others. Several steps may make one type, or add to one that
    /// the store has and no step replaces.
    private func addTypes(replacing replaced: [RecordType], in editor: inout CatalogEditor) throws {
        var made: Set<ObjectIdentifier> = []
        for case let (_, new)? in version.steps.map(\.replacement) where made.insert(ObjectIdentifier(new)).inserted {
            let schema = new.recordSchema
            if editor.type(named: schema.name) == nil || replaced.contains(where: { $0.name == schema.name }) {
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
