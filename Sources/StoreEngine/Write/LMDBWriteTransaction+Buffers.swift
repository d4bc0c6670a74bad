import LMDB

// Puts and deletes that take reusable buffers. A span of a buffer inside a larger struct would keep the whole struct borrowed,
// but a borrowed buffer does not. A transaction can therefore hold its buffers and its LMDB transaction side by side.
extension LMDBWriteTransaction {
    /// Puts the contents of the buffers. Returns false if `.noOverwrite` found the key.
    @discardableResult
    mutating func put(
        _ database: LMDBDatabase, key: borrowing ByteWriter, value: borrowing ByteWriter, options: PutOptions = []
    ) throws(LMDBError) -> Bool {
        try put(database, key: key.bytes, value: value.bytes, options: options)
    }

    /// Puts an encoded record.
    mutating func put(
        _ database: LMDBDatabase, key: borrowing ByteWriter, record: borrowing FieldEncoder
    ) throws(LMDBError) {
        try put(database, key: key.bytes, value: record.bytes)
    }

    /// Puts an encoded record under a new key. Returns false if the key exists.
    mutating func putNew(
        _ database: LMDBDatabase, key: borrowing ByteWriter, record: borrowing FieldEncoder
    ) throws(LMDBError) -> Bool {
        try putNew(database, key: key.bytes, value: record.bytes)
    }

    /// Deletes the entry under the key in a buffer. Returns false if there is none.
    @discardableResult
    mutating func delete(_ database: LMDBDatabase, key: borrowing ByteWriter) throws(LMDBError) -> Bool {
        try delete(database, key: key.bytes)
    }

    /// Replaces the contents of `buffer` with the value under the key in another buffer. Returns false if there is none.
    borrowing func copy(
        _ database: LMDBDatabase, key: borrowing ByteWriter, to buffer: inout ByteWriter
    ) throws(LMDBError) -> Bool {
        buffer.removeAll()
        guard let value = try snapshot.get(database, key: key.bytes) else { return false }
        buffer.append(value)
        return true
    }
}

extension FieldEncoder {
    /// Returns the byte range of field `index` in ``bytes``.
    func range(ofField index: Int) throws(CodecError) -> Range<Int> {
        let range = try FieldTable(tableBytes).range(of: index)
        return range.lowerBound + headerByteCount..<range.upperBound + headerByteCount
    }

    /// Returns the integer at `offset` of ``bytes``, least significant byte first.
    func integer<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: I.Type) throws(CodecError) -> I {
        try bytes.loadInteger(at: offset, as: type)
    }
}
