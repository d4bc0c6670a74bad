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
        var run: [PublicPlace] = []
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
                run.append(try PublicPlace(of: cursor.value, key, type))
            }
            isPositioned = try mapLMDB { () throws(LMDBError) in try cursor.next() }
        }
        try endRun(&run, type, body)
    }

    private func endRun(
        _ run: inout [PublicPlace], _ type: OpenType, _ body: (RecordBytes) throws -> Void
    ) throws {
        run.sort()
        for place in run { try unsafe Self.withNewest(indexedRecord(type, key: place.key.span.bytes), type, body) }
        run = []
    }

    /// Returns all record types in the order of their numbers, including types that others have replaced.
    package func storedTypes() throws(StoreError) -> [RecordType] {
        try CatalogStorage.types(in: state.databases.catalog, snapshot)
    }
}

/// The place of a record with a long id among the records of any store, whatever its secret.
private struct PublicPlace: Comparable {
    /// The key in a store without a secret.
    private let publicKey: [UInt8]
    /// The untruncated key of the id: two ids may have the same public key.
    private let idKey: [UInt8]
    /// The key in this store.
    let key: [UInt8]

    init(of record: RawSpan, _ key: [UInt8], _ type: OpenType) throws {
        let whole = try type.withNewest(RecordBytes(unverified: record)) { (newest) throws(CodecError) in
            unsafe try type.longID(of: newest.table, key.span.bytes)
        }
        self.key = key
        idKey = whole ?? key
        var publicKey = ByteWriter(capacity: 512)
        publicKey.append(idKey)
        KeyLimit.truncateRecordKey(&publicKey, .publicSeeds)
        self.publicKey = publicKey.array()
    }

    static func < (left: PublicPlace, right: PublicPlace) -> Bool {
        left.publicKey == right.publicKey
            ? left.idKey.lexicographicallyPrecedes(right.idKey)
            : left.publicKey.lexicographicallyPrecedes(right.publicKey)
    }
}
