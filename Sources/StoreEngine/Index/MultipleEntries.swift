import LMDB

/// The entries of an index over an array or a set: one entry in the shared form for each distinct element. Such an index is never
/// unique, so it cannot refuse a write.
enum MultipleEntries {
    /// One entry.
    struct Entry: Hashable {
        let key: [UInt8]
        let data: [UInt8]
    }

    /// Returns the entries of a record.
    ///
    /// - Parameter table: the fields of the record, in the form of the newest version.
    static func of(
        _ table: FieldTable, _ index: OpenIndex, recordKey: RawSpan
    ) throws(CodecError) -> Set<Entry> {
        guard let elementType = index.elementType else { throw CodecError("an index of elements has none") }
        let part = index.parts[0]
        var field = try table.field(part.fieldIndex)
        if index.isOptional {
            guard field.byteCount > 0 else { return [] }
            field = field.extracting(1..<field.byteCount)
        }
        var entries: Set<Entry> = []
        var key = ByteWriter(capacity: 64)
        var data = ByteWriter(capacity: 16)
        try FieldElements.forEach(in: field, of: elementType) { element throws(CodecError) in
            key.removeAll()
            try part.component.append(element, to: &key)
            var traits = IndexEntry.ValueTraits()
            traits.isTruncated = KeyLimit.truncateIndexValue(&key, from: 0, index.keyHash)
            _ = IndexEntry.complete(isUnique: false, traits: traits, recordKey: recordKey, key: &key, data: &data)
            entries.insert(Entry(key: key.array(), data: data.array()))
            return true
        }
        return entries
    }

    /// Moves the entries of a record from its old state to its new one. Either set may be empty.
    static func move(
        from old: Set<Entry>, to new: Set<Entry>, _ index: OpenIndex, in raw: inout LMDBWriteTransaction
    ) throws {
        for entry in old.subtracting(new) { unsafe try raw.delete(index.database, key: entry.key.span.bytes) }
        for entry in new.subtracting(old) {
            unsafe try raw.put(index.database, key: entry.key.span.bytes, value: entry.data.span.bytes)
        }
    }
}
