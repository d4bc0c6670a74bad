import LMDB
import StoreEngine

/// Brings a store to the newest version of a plan, with one transaction for each version. Runs on the writer thread.
struct MigrationRunner {
    let environment: LMDBEnvironment
    let options: StoreOptions
    let plan: MigrationPlan

    func run() throws {
        try requireNames()
        guard let newest = plan.versions.last else { return }
        while true {
            let state = try StoreOpening.settled(environment, options: options, records: []) { _ in }
            let name = try PlanVersion.read(environment, state)
            guard let current = try currentVersion(state, name: name) else {
                // The store has no record types, so nothing in it is older than the newest version.
                if try note(newest.name, state, from: name) { return }
                continue
            }
            guard current + 1 < plan.versions.count else { return }
            try VersionMigration(environment: environment, options: options, version: plan.versions[current + 1])
                .run(from: state, name: name)
        }
    }

    /// Throws if a step would run, because the step would change the record types of another ``Store`` of this process.
    ///
    /// - Throws: ``StoreError`` with the code `inUse`; otherwise as ``run()``.
    func requireNoStep() throws {
        try requireNames()
        let state = try StoreOpening.settled(environment, options: options, records: []) { _ in }
        let name = try PlanVersion.read(environment, state)
        guard let current = try currentVersion(state, name: name), current + 1 < plan.versions.count else { return }
        throw StoreError(
            .inUse,
            "the migration plan would take the store from version \"\(plan.versions[current].name)\" to "
                + "\"\(plan.versions[current + 1].name)\", while another Store of this process has it open",
            remedy: "pass the plan to the first Store that opens the directory, or close that Store first")
    }

    private func requireNames() throws {
        let names = plan.versions.map(\.name)
        guard Set(names).count == names.count else {
            throw StoreError(
                .invalidValue, "two versions of the migration plan have the same name", remedy: "rename one")
        }
    }

    /// Returns the index in the plan of the version that the store has; nil for a store without record types.
    private func currentVersion(_ state: StoreState, name: String?) throws -> Int? {
        if let name {
            if let versionIndex = plan.versions.firstIndex(where: { $0.name == name }) {
                return state.catalog.types.isEmpty && versionIndex + 1 < plan.versions.count ? nil : versionIndex
            }
            throw StoreError(
                .schemaMismatch, "the store has version \"\(name)\", which this program's migration plan lacks",
                remedy: SchemaMismatch.newerProgram)
        }
        if state.catalog.types.isEmpty { return nil }
        let candidates = plan.versions.indices.filter { !hasReplaced(upTo: $0, state) }
        if let newest = candidates.last(where: { fits(plan.versions[$0], state, unlessMissing: false) }) {
            return newest
        }
        // The store may be older than some of the plan's types. The migration adds them.
        if let oldest = candidates.first(where: { fits(plan.versions[$0], state, unlessMissing: true) }) {
            return oldest
        }
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        throw PlanMismatch(plan: plan, types: try CatalogStorage.types(in: state.databases.catalog, raw.snapshot)).error
    }

    /// Returns whether the store has the record types of a version exactly as the version declares them.
    ///
    /// - Parameter unlessMissing: whether types may be missing. The store must then have at least one of them, and those that it
    ///   has must match.
    private func fits(_ version: MigrationVersion, _ state: StoreState, unlessMissing: Bool) -> Bool {
        let typeIndexes = version.records.map { state.catalog.typeIndex(named: $0.recordSchema.name) }
        if unlessMissing, typeIndexes.allSatisfy({ $0 == nil }) { return false }
        return zip(version.records, typeIndexes).allSatisfy { record, typeIndex in
            guard let typeIndex else { return unlessMissing }
            let fit = SchemaFit(record.recordSchema, on: state.catalog.types[typeIndex].type)
            return fit.servesFields && fit.undeclared.isEmpty && fit.partial.isEmpty && !fit.hasNewNames
        }
    }

    private func hasReplaced(upTo versionIndex: Int, _ state: StoreState) -> Bool {
        plan.replacedTypes(upTo: versionIndex).contains { state.catalog.typeIndex(named: $0) != nil }
    }

    /// Notes in the store that it has a version.
    ///
    /// - Returns: whether the store still had the state `state` and the version `before`. If not, nothing was written.
    private func note(_ name: String, _ state: StoreState, from before: String?) throws -> Bool {
        var raw = try mapLMDB { () throws(LMDBError) in
            try environment.beginWrite(patience: options.writeTimeout)
        }
        raw.useReserve()
        guard try PlanVersion.isUnchanged(state, before, raw.snapshot) else { return false }
        // Format 1 has no place for the name. The record types then tell the version.
        if try StoreFormat.version(state.databases, raw.snapshot) < StoreFormat.versionWithoutLog { return true }
        var head = try StoreFormat.head(state.databases, raw.snapshot)
        let context = StoreOpening.context(options)
        _ = try ForeignWrites.note(&head, state.databases, context, in: &raw)
        try PlanVersion.write(name, state, in: &raw)
        try head.write(state.databases, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        return true
    }
}
