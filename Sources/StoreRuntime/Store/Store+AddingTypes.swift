import Glibc
import LMDB
package import StoreEngine

extension Store {
    /// Adds record types that no Swift type of this program declares, and runs `body`, all in one transaction. If `body` throws,
    /// the types are not added. Blocks until the transaction is committed.
    ///
    /// In the feed, the types form a change set of their own before the change set of `body`. The map does not grow for this
    /// write: a full map is an error.
    ///
    /// - Throws: any error that `body` throws; ``StoreError``: `invalidValue` when the store already has a type with one of the
    ///   names; otherwise as `write`.
    package func write<T: Sendable>(
        addingTypes schemas: [RecordSchema], _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> T {
        try requireOpen()
        try core.requireNoLog("adding types together with their records")
        let core = core
        let context = core.makeContext()
        return try core.perform {
            let result = try TypeAddition(core: core, context: context).run(schemas, body)
            try core.catalog.reload()
            return result
        }
    }
}

/// One transaction that changes the catalog and then records. Runs on the writer thread.
private struct TypeAddition {
    let core: StoreCore
    let context: WriteContext

    func run<T>(_ schemas: [RecordSchema], _ body: (inout WriteTransaction) throws -> T) throws -> T {
        let old = core.state
        var raw = try mapLMDB { () throws(LMDBError) in
            try core.environment.beginWrite(patience: core.options.writeTimeout)
        }
        let version = try StoreFormat.catalogVersion(old.databases, raw.snapshot)
        var head = try StoreFormat.head(old.databases, raw.snapshot)
        let first = head.sequence
        _ = try ForeignWrites.note(&head, old.databases, context, in: &raw)
        var editor = try CatalogEditor(raw: raw, databases: old.databases, head: head, context: context)
        for schema in schemas { try editor.add(schema) }
        let edited = try editor.finish(version: version)
        let catalog = try Catalog(version: edited.version, types: edited.types, records: [])
        let state = StoreState(
            identity: old.identity, databases: old.databases, limits: old.limits, catalog: catalog)
        head = edited.head
        var transaction = WriteTransaction(raw: edited.intoRaw(), state: state, head: head, context: context)
        let result = try body(&transaction)
        let finished = try transaction.finish()
        head = finished.head
        raw = finished.intoRaw()
        try head.write(since: first, now: context.time, heldUntil: core.retention.feedHeldUntil, old, in: &raw)
        if let failure = raw.commitFailure() { throw failure }
        return result
    }
}
