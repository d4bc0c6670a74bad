import LMDB
import StoreEngine

/// The name of the version that a plan brought the store to.
enum PlanVersion {
    static func read(_ environment: LMDBEnvironment, _ state: StoreState) throws -> String? {
        let raw = try mapLMDB { () throws(LMDBError) in try environment.beginRead() }
        return try read(state.databases, raw.snapshot)
    }

    private static func read(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws -> String? {
        let key = MetadataKey.planVersion
        guard let text = unsafe try snapshot.get(databases.metadata, key: key.span.bytes) else { return nil }
        return try String(from: text)
    }

    /// Returns whether the store is unchanged since it was read: no other process has changed the catalog or brought the store to
    /// another version. Otherwise a step would run a second time.
    static func isUnchanged(_ state: StoreState, _ name: String?, _ snapshot: LMDBSnapshot) throws -> Bool {
        try StoreFormat.catalogVersion(state.databases, snapshot) == state.catalog.version
            && read(state.databases, snapshot) == name
    }

    static func write(_ name: String, _ state: StoreState, in raw: inout LMDBWriteTransaction) throws {
        let (key, value) = (MetadataKey.planVersion, Array(name.utf8))
        unsafe try raw.put(state.databases.metadata, key: key.span.bytes, value: value.span.bytes)
    }
}
