import LMDB

/// The records that refer to some others: found for one after the other, and then put in the order of their keys.
///
/// All keys lie in one buffer, so that neither finding nor sorting thousands of them allocates for each.
@usableFromInline
struct ReferrerList: ~Copyable {
    private var keys = ByteWriter(capacity: 4_096)
    private var entries: [ReferrerEntry] = []
    /// How many refer to each.
    @usableFromInline private(set) var counts: [Int]

    init(groupCount: Int) { counts = Array(repeating: 0, count: groupCount) }

    @usableFromInline var count: Int { entries.count }

    /// Whether a key may be truncated, so that they need not come in the order of ids.
    @usableFromInline private(set) var mayBeTruncated = false

    /// Adds a record that refers to record number `group`, behind those of lower numbers.
    mutating func append(_ key: RawSpan, group: Int) {
        entries.append(
            ReferrerEntry(
                word: key.leadingWord, start: keys.count, byteCount: Int32(key.byteCount),
                requestedIndex: Int32(entries.count)))
        keys.append(key)
        if key.byteCount == KeyLimit.recordKey { mayBeTruncated = true }
        counts[group] += 1
    }

    /// The keys of the referrers, in order.
    borrowing func recordKeys() -> RecordKeyList {
        var list = RecordKeyList(byteCount: keys.count, count: entries.count)
        for entry in entries {
            list.append(entry.key(in: keys.bytes))
        }
        return list
    }

    /// As which a referrer was added.
    borrowing func requestedIndex(_ number: Int) -> Int { Int(entries[number].requestedIndex) }

    /// Puts all in the order of their keys.
    mutating func sort() {
        var sorted: [ReferrerEntry] = []
        swap(&sorted, &entries)
        sorted.sort(byKeysIn: keys.bytes)
        entries = sorted
    }
}

extension ReadContext {
    /// The records that refer to those that are asked for, by a field of theirs.
    @usableFromInline
    func referrers(
        _ field: String, _ binding: TypedBinding, _ keys: PrefetchKeys
    ) throws(StoreError) -> ReferrerList {
        let type = binding.type
        let outgoing = state.catalog.references.outgoing[binding.typeIndex]
        guard let reference = outgoing.first(where: { type.type.isField($0.fieldIndex, named: field) }) else {
            throw StoreError(.unknownField, "\(type.name) refers to nothing by \(field)")
        }
        var list = ReferrerList(groupCount: keys.groups.count)
        do {
            try Referrers(snapshot, state.catalog).collect(reference, to: keys, in: &list)
        } catch {
            throw StoreError(reading: error, at: "the index on \(type.name).\(field)")
        }
        list.sort()
        return list
    }
}

extension Referrers {
    /// Finds those that refer to any of some records, in one pass over the index.
    fileprivate func collect(
        _ reference: OpenReference, to keys: PrefetchKeys, in list: inout ReferrerList
    ) throws {
        var cursor = try snapshot.openCursor(reference.index.database)
        for group in keys.groups {
            let target = ReferenceTarget(type: reference.target, idKey: keys.key(group))
            if reference.index.stored.isBuilding {
                for key in try self.keys(reference, to: target) { unsafe list.append(key.span.bytes, group: group) }
            } else {
                try forEachEntry(reference, to: target, &cursor) { key in
                    list.append(key, group: group)
                    return true
                }
            }
        }
    }
}
