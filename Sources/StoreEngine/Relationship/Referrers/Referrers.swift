import LMDB

/// Finds the records that refer to a record, through the index on the reference.
struct Referrers: ~Escapable {
    let snapshot: LMDBSnapshot
    let catalog: Catalog

    @_lifetime(copy snapshot)
    init(_ snapshot: LMDBSnapshot, _ catalog: Catalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// Returns whether the record that `target` names exists.
    func exists(_ target: ReferenceTarget) throws -> Bool {
        var key = ByteWriter(capacity: 64)
        key.append(target.idKey)
        return try exists(idKey: &key, type: target.type)
    }

    /// Returns whether a record of a type with this id exists. The key is truncated to the key of the record.
    func exists(idKey key: inout ByteWriter, type typeIndex: Int) throws -> Bool {
        let type = catalog.types[typeIndex]
        let isLong = key.count > KeyLimit.recordKey
        let whole = isLong ? key.array() : []
        KeyLimit.truncateRecordKey(&key, type.keyHash)
        guard let record = try snapshot.get(type.database, key: key.bytes) else { return false }
        // Long ids may have the same truncated key.
        return try !isLong || Self.idKey(of: record, type) == whole
    }

    /// Returns the keys of the records that refer to `target`, in the order of the records' ids.
    ///
    /// - Parameter limit: the maximum number of keys to find.
    func keys(_ reference: OpenReference, to target: ReferenceTarget, limit: Int = .max) throws -> [[UInt8]] {
        let found = try unsortedKeys(reference, to: target, limit: limit)
        // The place of a truncated key among others depends on the store's secret, which the feed must not show.
        guard found.count > 1, found.contains(where: { $0.count == KeyLimit.recordKey }) else { return found }
        let type = catalog.types[reference.source]
        var all: [(id: [UInt8], key: [UInt8])] = []
        for key in found {
            guard let record = unsafe try snapshot.get(type.database, key: key.span.bytes) else { continue }
            all.append((try Self.idKey(of: record, type), key))
        }
        return all.sorted { $0.id.lexicographicallyPrecedes($1.id) }.map(\.key)
    }

    private func unsortedKeys(
        _ reference: OpenReference, to target: ReferenceTarget, limit: Int
    ) throws -> [[UInt8]] {
        if reference.index.stored.isBuilding { return try walk(reference, to: target, limit: limit) }
        var found: [[UInt8]] = []
        if limit == 0 { return found }
        var cursor = try snapshot.openCursor(reference.index.database)
        try forEachEntry(reference, to: target, &cursor) { key in
            found.append(key.array())
            return found.count < limit
        }
        return found
    }

    /// Calls `body` with the keys of the records that refer to `target`, in ascending order, until `body` returns false.
    ///
    /// - Parameter cursor: a cursor on the reference's index. It finds entries near its current position faster.
    func forEachEntry(
        _ reference: OpenReference, to target: ReferenceTarget, _ cursor: inout LMDBCursor,
        _ body: (RawSpan) throws -> Bool
    ) throws {
        var part = ByteWriter(capacity: 64)
        let isTruncated = unsafe reference.appendEntryPart(idKey: target.idKey.span.bytes, to: &part)
        var isPositioned = try cursor.seek(atLeast: part.bytes)
        // A key's encoding marks its end, so no longer value begins with this key.
        while isPositioned, cursor.key.byteCount >= part.count,
            cursor.key.extracting(first: part.count).isEqual(to: part.bytes)
        {
            do {
                let key = try IndexEntry.recordKey(key: cursor.key, data: cursor.value)
                if try !isTruncated || refers(reference, key: key.array(), to: target), try !body(key) { return }
            }
            isPositioned = try cursor.next()
        }
    }

    /// Finds the keys without the index, which lacks entries while it is being built.
    private func walk(_ reference: OpenReference, to target: ReferenceTarget, limit: Int) throws -> [[UInt8]] {
        let type = catalog.types[reference.source]
        var found: [[UInt8]] = []
        var cursor = try snapshot.openCursor(type.database)
        var isPositioned = try cursor.first()
        while isPositioned, found.count < limit {
            let text = try Self.text(of: reference, in: RecordBytes(unverified: cursor.value), of: type, to: target)
            if text != nil { found.append(cursor.key.array()) }
            isPositioned = try cursor.next()
        }
        return found
    }

    /// Returns the untruncated keys of all ids that the field refers to in any record, and for which no record exists.
    func missingTargets(of reference: OpenReference) throws -> Set<[UInt8]> {
        let type = catalog.types[reference.source]
        var missing: Set<[UInt8]> = []
        var cursor = try snapshot.openCursor(type.database)
        var isPositioned = try cursor.first()
        while isPositioned {
            for key in try Self.idKeys(of: reference, in: RecordBytes(unverified: cursor.value), of: type)
            where try !missing.contains(key) && !exists(ReferenceTarget(type: reference.target, idKey: key)) {
                missing.insert(key)
            }
            isPositioned = try cursor.next()
        }
        return missing
    }

    /// Returns the untruncated keys of the ids that a record refers to with a field, repeated ids included.
    static func idKeys(
        of reference: OpenReference, in record: RecordBytes, of type: OpenType
    ) throws(CodecError) -> [[UInt8]] {
        try type.withNewest(record) { newest throws(CodecError) in
            var keys: [[UInt8]] = []
            try reference.forEachKey(in: newest.table.field(reference.fieldIndex)) { keys.append($0) }
            return keys
        }
    }

    private func refers(_ reference: OpenReference, key: [UInt8], to target: ReferenceTarget) throws -> Bool {
        try text(of: reference, in: key, to: target) != nil
    }

    /// Returns the id of `target` as text for people, from a record that refers to it; nil where the record does not.
    func text(of reference: OpenReference, in key: [UInt8], to target: ReferenceTarget) throws -> String? {
        let type = catalog.types[reference.source]
        guard let bytes = unsafe try snapshot.get(type.database, key: key.span.bytes) else { return nil }
        return try Self.text(of: reference, in: RecordBytes(unverified: bytes), of: type, to: target)
    }

    private static func text(
        of reference: OpenReference, in record: RecordBytes, of type: OpenType, to target: ReferenceTarget
    ) throws(CodecError) -> String? {
        try type.withNewest(record) { newest throws(CodecError) in
            var text: String?
            var idKey = ByteWriter(capacity: 64)
            try reference.forEachID(in: newest.table.field(reference.fieldIndex)) { id throws(CodecError) in
                idKey.removeAll()
                try reference.component.append(id, to: &idKey)
                guard unsafe idKey.bytes.isEqual(to: target.idKey.span.bytes) else { return true }
                text = try DynamicValue(from: id, as: reference.type).text
                return false
            }
            return text
        }
    }

    /// Returns the id of a stored record as text for people.
    func text(ofRecord key: [UInt8], type typeIndex: Int) throws -> String {
        let type = catalog.types[typeIndex]
        guard let bytes = unsafe try snapshot.get(type.database, key: key.span.bytes) else { return "?" }
        return unsafe RecordBody.name(bytes, key: key.span.bytes, type)
    }

    /// Returns the untruncated key of a stored record's id.
    static func idKey(of record: RawSpan, _ type: OpenType) throws(CodecError) -> [UInt8] {
        var key = ByteWriter(capacity: 64)
        try RecordBody.appendIDKey(of: RecordBytes(unverified: record), type, to: &key)
        return key.array()
    }
}
