import LMDB

/// The keys under which records are stored.
package enum RecordKey {
    /// Returns the key of the record with an id.
    ///
    /// - Parameter hash: how the store hashes long keys. It is not evaluated for others.
    package static func of<R: Record>(_ type: R.Type, id: R.ID, _ hash: @autoclosure () -> KeyHash) -> [UInt8] {
        var key = ByteWriter(capacity: 64)
        R._key(of: id).encodeKey(to: &key)
        if key.count > KeyLimit.recordKey { KeyLimit.truncateRecordKey(&key, hash()) }
        return key.array()
    }

    /// Whether no other id has this key.
    package static func isWhole(_ key: [UInt8]) -> Bool { key.count < KeyLimit.recordKey }
}

extension ReadContext {
    /// Returns the record with a key; nil where there is none.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    package func content(of type: OpenType, key: [UInt8]) throws(StoreError) -> RecordContent? {
        guard let bytes = unsafe try value(type.database, key: key.span.bytes) else { return nil }
        do throws(CodecError) {
            return try RecordContent(bytes, of: type)
        } catch {
            throw unsafe unreadable(type, key: key.span.bytes, error)
        }
    }
}
