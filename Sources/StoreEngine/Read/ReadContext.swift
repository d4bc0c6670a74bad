package import LMDB

/// What a read or write transaction reads through: a snapshot and the store's state. Support for
/// ``ReadableTransaction``; nothing to use directly.
@safe
public struct ReadContext: ~Escapable {
    package let snapshot: LMDBSnapshot
    package let state: StoreState

    @_lifetime(copy snapshot)
    package init(snapshot: LMDBSnapshot, state: StoreState) {
        self.snapshot = snapshot
        self.state = state
    }

    /// The tie of a Swift record type, as an opaque handle.
    @usableFromInline
    func binding<R: Record>(_ record: R.Type) throws(StoreError) -> TypedBinding {
        try state.catalog.binding(record)
    }

    /// The stored record with a key, nil where there is none. `key` need not be truncated yet.
    @usableFromInline
    @_lifetime(copy self)
    func stored(_ binding: TypedBinding, key: inout ByteWriter) throws(StoreError) -> RawSpan? {
        KeyLimit.truncateRecordKey(&key)
        return try value(binding.type.database, key: key.bytes)
    }

    /// The Swift value of a stored record. Whatever finds the record, its fields are decoded here.
    @inlinable
    func decoded<R: Record>(
        _ stored: RawSpan, key: RawSpan, _ binding: TypedBinding
    ) throws(StoreError) -> R {
        let decoder = try decoder(stored, key: key, binding, verifying: true)
        do {
            return try R(from: decoder)
        } catch {
            throw damage(binding, key: key, error)
        }
    }

    /// The fields of a stored record.
    ///
    /// - Parameters:
    ///   - key: the record's key, for an error.
    ///   - verifying: whether the record's checksum is compared, which reads all of it.
    @usableFromInline
    @_lifetime(copy stored)
    func decoder(
        _ stored: RawSpan, key: RawSpan, _ binding: TypedBinding, verifying: Bool
    ) throws(StoreError) -> FieldDecoder {
        do {
            let record = verifying ? try RecordBytes(stored) : try RecordBytes(unverified: stored)
            if let upgrade = try binding.type.upgrade(fromVersion: record.schemaVersion) {
                let newest = try upgrade.apply(to: record)
                let upgraded = unsafe try RecordBytes(unverified: newest.span.bytes)
                // The decoder keeps the bytes for as long as it reads them.
                let table = unsafe _overrideLifetime(try upgraded.table, copying: stored)
                return FieldDecoder(table, slots: binding.fieldIndexesByDeclared, owner: newest)
            }
            return FieldDecoder(try record.table, slots: binding.fieldIndexesByDeclared)
        } catch {
            throw damage(binding, key: key, error)
        }
    }

    /// The value stored under `key`.
    @_lifetime(copy self)
    package func value(_ database: LMDBDatabase, key: RawSpan) throws(StoreError) -> RawSpan? {
        do {
            return try snapshot.get(database, key: key)
        } catch {
            throw StoreError(error)
        }
    }

    /// The stored record that an index leads to.
    @usableFromInline
    @_lifetime(copy self)
    func indexedRecord(_ binding: TypedBinding, key: RawSpan) throws(StoreError) -> RawSpan {
        try indexedRecord(binding.type, key: key)
    }

    @_lifetime(copy self)
    func indexedRecord(_ type: OpenType, key: RawSpan) throws(StoreError) -> RawSpan {
        guard let record = try value(type.database, key: key) else {
            throw damage(type, key: key, CodecError("an index leads to it, but it is not there"))
        }
        return record
    }

    /// The error for a record that cannot be decoded.
    @usableFromInline
    func damage(_ binding: TypedBinding, key: RawSpan, _ error: CodecError) -> StoreError {
        damage(binding.type, key: key, error)
    }

    package func damage(_ type: OpenType, key: RawSpan, _ error: CodecError) -> StoreError {
        StoreError(error, at: "the record of \(type.name) under the key \(HexText.of(key))")
    }

    /// Whether an id is too long for a key, so that a record found under it must be compared.
    @usableFromInline
    static func isTruncated(_ key: borrowing ByteWriter) -> Bool { key.count >= KeyLimit.recordKey }
}

/// Bytes as people read them.
package enum HexText {
    /// Two hexadecimal digits for each byte; a long run is cut.
    package static func of(_ bytes: RawSpan, limit: Int = 64) -> String {
        var text = ""
        for byte in bytes.extracting(first: limit).array() {
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return bytes.byteCount > limit ? text + "…" : text
    }
}
