import LMDB

/// Gives stores the form in which programs of an older format leave them.
package enum OlderFormat {
    /// Gives a closed store without a redo log and without long keys an older format.
    package static func give(_ format: UInt8, toStoreAt path: String) throws {
        let environment = try LMDBEnvironment.open(at: path, options: LMDBEnvironment.Options(syncs: false))
        defer { environment.close() }
        var raw = try environment.beginWrite()
        guard let metadata = try raw.openDatabase(named: "metadata", create: false) else {
            throw Mismatch("\(path) holds no store")
        }
        try put("format", [format, 0, 0, 0], metadata, &raw)
        for name in ["secret", "redo"] { _ = unsafe try raw.delete(metadata, key: Array(name.utf8).span.bytes) }
        // The last 8 bytes of the head are the number of the transaction that wrote it.
        var head = try value("head", metadata, raw.snapshot)
        let transaction = UInt64(raw.snapshot.transactionID)
        for byte in 0..<8 { head[head.count - 8 + byte] = UInt8(truncatingIfNeeded: transaction >> UInt64(8 * byte)) }
        try put("head", head, metadata, &raw)
        try raw.commit()
    }

    private static func value(_ name: String, _ metadata: LMDBDatabase, _ snapshot: LMDBSnapshot) throws -> [UInt8] {
        guard let found = unsafe try snapshot.get(metadata, key: Array(name.utf8).span.bytes) else {
            throw Mismatch("the metadata lack \(name)")
        }
        return unsafe found.withUnsafeBytes { unsafe Array($0) }
    }

    private static func put(
        _ name: String, _ value: [UInt8], _ metadata: LMDBDatabase, _ raw: inout LMDBWriteTransaction
    ) throws {
        _ = unsafe try raw.put(metadata, key: Array(name.utf8).span.bytes, value: value.span.bytes)
    }
}
