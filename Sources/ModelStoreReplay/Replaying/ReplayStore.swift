import Foundation
import StoreEngine
import StoreRuntime

/// The store that a trace is replayed into.
enum ReplayStore {
    /// The maximum number of rows in one commit, and the approximate maximum of their bytes in the trace.
    private static let commitLimit = (rows: 10_000, bytes: 8 << 20)

    /// Creates the store, and inserts the rows at the beginning of the trace.
    ///
    /// - Returns: the store, and the first frame after the rows.
    static func make(
        at path: String, _ reader: TraceReader, _ options: ReplayOptions
    ) throws -> (store: Store, next: TraceReader.Line?) {
        var storeOptions = StoreOptions()
        storeOptions.durability = .relaxed
        storeOptions.originName = "replay"
        storeOptions.limits.retainedChangeSets = 1 << 40
        // The replay has to accept all records, whatever the limits of the recorded store were.
        storeOptions.limits.recordByteCount = 1 << 30
        storeOptions.limits.changeSetByteCount = 1 << 40
        let header = reader.header
        // Rows have the fields of the recorded types, in their order.
        let store = try Store(
            replicaAt: path,
            from: ReplicaStart(identity: header.start.store, position: header.start, types: header.types),
            options: storeOptions)
        let next: TraceReader.Line?
        do {
            next = try putRows(reader, into: store)
            try keepAssignedIDs(header, in: store)
            try requireContent(header, in: store)
        } catch {
            store.close()
            throw error
        }
        if options.records.isEmpty { return (store, next) }
        store.close()
        // The program's own types are applied by migration, as they would be in the recorded store.
        return (try Store(at: path, records: options.records, options: storeOptions), next)
    }

    private static func requireContent(_ header: TraceHeader, in store: Store) throws {
        guard let content = header.content else { return }
        let found = try store.read { try $0._reading.contentHash() }
        guard found == content else {
            throw StoreError(
                .traceDamaged, "the rows of the trace do not match the content hash of the recorded records",
                remedy: "record it again")
        }
    }

    private static func putRows(_ reader: TraceReader, into store: Store) throws -> TraceReader.Line? {
        let schema = TraceSchema(reader.header.types, reader.header.form)
        var rows: [(type: UInt32, incarnation: UInt64, values: [DynamicValue])] = []
        var byteCount = 0
        while let line = try reader.next() {
            guard case .row(let row) = line.frame else {
                try put(rows, into: store)
                return line
            }
            do {
                let type = try schema.type(named: row.typeName)
                rows.append((type.id, row.incarnation, try type.values(row.record, schema.form)))
            } catch let mistake as TraceMistake {
                throw StoreError(
                    .traceDamaged, "line \(line.number) of the trace: \(mistake.reason)", remedy: "record it again")
            }
            byteCount += line.byteCount
            if rows.count >= commitLimit.rows || byteCount >= commitLimit.bytes {
                try put(rows, into: store)
                rows = []
                byteCount = 0
            }
        }
        try put(rows, into: store)
        return nil
    }

    private static func put(
        _ rows: [(type: UInt32, incarnation: UInt64, values: [DynamicValue])], into store: Store
    ) throws {
        if rows.isEmpty { return }
        try store.write { tx in
            for row in rows {
                guard let typeIndex = tx._reading.catalog.typeIndex(ofID: row.type) else { continue }
                try tx.seed(row.values, typeIndex: typeIndex, incarnation: row.incarnation)
            }
        }
    }

    private static func keepAssignedIDs(_ header: TraceHeader, in store: Store) throws {
        let assigned = header.assignedIDs.filter { $0.id > 0 }
        if assigned.isEmpty { return }
        try store.write { tx in
            for (type, id) in assigned {
                guard let typeIndex = tx._reading.catalog.typeIndex(ofID: type) else { continue }
                try tx.keepAssignedIDs(above: id, typeIndex: typeIndex)
            }
        }
    }
}
