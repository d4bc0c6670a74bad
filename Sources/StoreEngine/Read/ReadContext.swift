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

    /// The fields of the record with this key, nil when there is none. `key` need not be truncated yet.
    ///
    /// - Parameter verifying: whether the record's checksum is compared, which reads all of it.
    @usableFromInline
    @_lifetime(copy self)
    func decoder(
        _ binding: TypedBinding, key: inout ByteWriter, verifying: Bool
    ) throws(StoreError) -> FieldDecoder? {
        KeyLimit.truncateRecordKey(&key)
        guard let bytes = try value(binding.type.database, key: key.bytes) else { return nil }
        do {
            return try decoder(binding, record: bytes, verifying: verifying)
        } catch {
            throw damage(binding.type, key: key.bytes, error)
        }
    }

    /// The fields of a record that was found at `bytes`.
    @_lifetime(copy bytes)
    func decoder(_ binding: TypedBinding, record bytes: RawSpan, verifying: Bool) throws(CodecError) -> FieldDecoder {
        let record = verifying ? try RecordBytes(bytes) : try RecordBytes(unverified: bytes)
        if let upgrade = try binding.type.upgrade(fromVersion: record.schemaVersion) {
            let newest = try upgrade.apply(to: record)
            let upgraded = unsafe try RecordBytes(unverified: newest.span.bytes)
            // The decoder keeps the bytes for as long as it reads them.
            let table = unsafe _overrideLifetime(try upgraded.table, copying: bytes)
            return FieldDecoder(table, slots: binding.placesByDeclared, owner: newest)
        }
        return FieldDecoder(try record.table, slots: binding.placesByDeclared)
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
    @_lifetime(copy self)
    func indexedRecord(_ type: OpenType, key: RawSpan) throws(StoreError) -> RawSpan {
        guard let record = try value(type.database, key: key) else {
            throw damage(type, key: key, CodecError("an index leads to it, but it is not there"))
        }
        return record
    }

    /// The error for a record that cannot be decoded.
    @usableFromInline
    func damage(_ binding: TypedBinding, key: borrowing ByteWriter, _ error: CodecError) -> StoreError {
        damage(binding.type, key: key.bytes, error)
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
