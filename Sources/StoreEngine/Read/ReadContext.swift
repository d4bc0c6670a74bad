package import LMDB

/// The context that a transaction reads through: a snapshot and the store's state. Supports ``ReadableTransaction``; do not use
/// it directly.
@safe
public struct ReadContext: ~Escapable {
    package let snapshot: LMDBSnapshot
    package let state: StoreState

    @_lifetime(copy snapshot)
    package init(snapshot: LMDBSnapshot, state: StoreState) {
        self.snapshot = snapshot
        self.state = state
    }

    /// Returns the binding of a Swift record type to the store's type, as an opaque handle.
    @usableFromInline
    func binding<R: Record>(_ record: R.Type) throws(StoreError) -> TypedBinding {
        try state.catalog.binding(record)
    }

    /// Returns the stored record with a key; nil where there is none. The function truncates `key` if necessary.
    @usableFromInline
    @_lifetime(copy self)
    func stored(_ binding: TypedBinding, key: inout ByteWriter) throws(StoreError) -> RawSpan? {
        KeyLimit.truncateRecordKey(&key, binding.type.keyHash)
        return try value(binding.type.database, key: key.bytes)
    }

    /// Decodes a stored record to its Swift value, however it was found.
    @inlinable
    func decoded<R: Record>(
        _ stored: RawSpan, key: RawSpan, _ binding: TypedBinding
    ) throws(StoreError) -> R {
        let decoder = try decoder(stored, key: key, binding, verifying: true)
        do {
            return try R(from: decoder)
        } catch {
            throw unreadable(binding, key: key, error)
        }
    }

    /// Returns a decoder for the fields of a stored record.
    ///
    /// - Parameters:
    ///   - key: the record's key, for error messages.
    ///   - verifying: whether to check the record's checksum, which reads the whole record.
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
                // The decoder owns the upgraded bytes, so they live as long as it reads them.
                let table = unsafe _overrideLifetime(try upgraded.table, copying: stored)
                return FieldDecoder(table, slots: binding.fieldIndexesByDeclared, owner: newest)
            }
            return FieldDecoder(try record.table, slots: binding.fieldIndexesByDeclared)
        } catch {
            throw unreadable(binding, key: key, error)
        }
    }

    /// Returns the value stored under `key`; nil where there is none.
    @_lifetime(copy self)
    package func value(_ database: LMDBDatabase, key: RawSpan) throws(StoreError) -> RawSpan? {
        do {
            return try snapshot.get(database, key: key)
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns the stored record that an index entry leads to.
    @usableFromInline
    @_lifetime(copy self)
    func indexedRecord(_ binding: TypedBinding, key: RawSpan) throws(StoreError) -> RawSpan {
        try indexedRecord(binding.type, key: key)
    }

    @_lifetime(copy self)
    func indexedRecord(_ type: OpenType, key: RawSpan) throws(StoreError) -> RawSpan {
        guard let record = try value(type.database, key: key) else {
            throw unreadable(type, key: key, CodecError("an index leads to it, but it does not exist"))
        }
        return record
    }

    /// Whether an id may be too long for a key, so that the id of a record found under it has to be compared.
    @usableFromInline
    static func isTruncated(_ key: borrowing ByteWriter) -> Bool { key.count >= KeyLimit.recordKey }
}

/// Bytes as hexadecimal text, for messages.
package enum HexText {
    /// Returns two hexadecimal digits for each byte. After `limit` bytes the text ends in an ellipsis.
    package static func of(_ bytes: RawSpan, limit: Int = 64) -> String {
        var text = ""
        for byte in bytes.extracting(first: limit).array() {
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return bytes.byteCount > limit ? text + "…" : text
    }
}
