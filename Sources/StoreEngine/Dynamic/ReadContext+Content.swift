import LMDB

// The content of a store, independent of its history.
extension ReadContext {
    /// Calls `body` with each record of a type in the order of keys, and in the form of the newest version.
    package func forEachNewest(typeIndex: Int, _ body: (RecordBytes) throws -> Void) throws {
        let type = state.catalog.types[typeIndex]
        var cursor = try opened(type.database)
        var isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.first() }
        while isPositioned {
            try Self.withNewest(cursor.value, type, body)
            isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.next() }
        }
    }

    private static func withNewest(_ bytes: RawSpan, _ type: OpenType, _ body: (RecordBytes) throws -> Void) throws {
        var failure: (any Error)?
        try type.withNewest(RecordBytes(bytes)) { (newest) throws(CodecError) in
            do {
                try body(newest)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Returns a hash of all records. Stores with equal records have equal hashes, whatever their history. The hash ignores types
    /// without records. It also ignores when a record was inserted.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    /// - Complexity: linear in the size of the records.
    package func contentHash() throws -> UInt64 {
        var hash: UInt64 = 0
        let byName = state.catalog.types.indices.sorted { state.catalog.types[$0].name < state.catalog.types[$1].name }
        for typeIndex in byName where try count(typeIndex: typeIndex) > 0 {
            let name = Array(state.catalog.types[typeIndex].name.utf8)
            hash = unsafe XXH64.hash(name.span.bytes, seed: hash)
            try forEachInPublicOrder(typeIndex: typeIndex) { record in
                hash = XXH64.hash(
                    record.bytes.extracting(RecordBytes.headerByteCount..<record.bytes.byteCount), seed: hash)
            }
        }
        return hash
    }

    /// Calls `body` with each record of a type in the order of the keys that a store without a secret has, and in the form of the
    /// newest version.
    private func forEachInPublicOrder(typeIndex: Int, _ body: (RecordBytes) throws -> Void) throws {
        let type = state.catalog.types[typeIndex]
        if type.keyHash == .publicSeeds { return try forEachNewest(typeIndex: typeIndex, body) }
        // Keys that begin with the same bytes, as many as a truncated key keeps. Only they may come in another order.
        var run: [(publicKey: [UInt8], key: [UInt8])] = []
        var cursor = try opened(type.database)
        var isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.first() }
        while isPositioned {
            let key = cursor.key.array()
            if let first = run.first, !first.key.starts(with: key.prefix(KeyLimit.recordKeyBeginning)) {
                try endRun(&run, type, body)
            }
            if key.count < KeyLimit.recordKeyBeginning {
                try Self.withNewest(cursor.value, type, body)
            } else {
                run.append((try Self.publicKey(of: cursor.value, key, type), key))
            }
            isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.next() }
        }
        try endRun(&run, type, body)
    }

    private static func publicKey(of record: RawSpan, _ key: [UInt8], _ type: OpenType) throws -> [UInt8] {
        let whole = try type.withNewest(RecordBytes(unverified: record)) { (newest) throws(CodecError) in
            unsafe try type.longID(of: newest.table, key.span.bytes)
        }
        var publicKey = ByteWriter(capacity: 512)
        publicKey.append(whole ?? key)
        KeyLimit.truncateRecordKey(&publicKey, .publicSeeds)
        return publicKey.array()
    }

    private func endRun(
        _ run: inout [(publicKey: [UInt8], key: [UInt8])], _ type: OpenType, _ body: (RecordBytes) throws -> Void
    ) throws {
        run.sort { $0.publicKey.lexicographicallyPrecedes($1.publicKey) }
        for (_, key) in run { try unsafe Self.withNewest(indexedRecord(type, key: key.span.bytes), type, body) }
        run = []
    }

    /// Returns all record types in the order of their numbers, including types that others have replaced.
    package func storedTypes() throws(StoreError) -> [RecordType] {
        try CatalogStorage.types(in: state.databases.catalog, snapshot)
    }
}
