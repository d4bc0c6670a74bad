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
            try forEachNewest(typeIndex: typeIndex) { record in
                hash = XXH64.hash(
                    record.bytes.extracting(RecordBytes.headerByteCount..<record.bytes.byteCount), seed: hash)
            }
        }
        return hash
    }

    /// Returns all record types in the order of their numbers, including types that others have replaced.
    package func storedTypes() throws(StoreError) -> [RecordType] {
        try CatalogStorage.types(in: state.databases.catalog, snapshot)
    }
}
