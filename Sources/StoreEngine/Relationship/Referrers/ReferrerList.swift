import LMDB

/// The records that refer to a group of records. They are found for one record after the other, and then sorted by their keys.
///
/// All keys are in one buffer, so that finding and sorting thousands of keys does not allocate for each key.
@usableFromInline
struct ReferrerList: ~Copyable {
    private var keys = ByteWriter(capacity: 4_096)
    private var entries: [ReferrerEntry] = []
    /// The number of referrers of each record.
    @usableFromInline private(set) var counts: [Int]

    init(groupCount: Int) { counts = Array(repeating: 0, count: groupCount) }

    @usableFromInline var count: Int { entries.count }

    /// Whether a key may be truncated. The order of keys is then not always the order of ids.
    @usableFromInline private(set) var mayBeTruncated = false

    /// Adds a record that refers to record number `group`. Records must be added in ascending order of `group`.
    mutating func append(_ key: RawSpan, group: Int) {
        entries.append(
            ReferrerEntry(
                word: key.leadingWord, start: keys.count, byteCount: Int32(key.byteCount),
                requestedIndex: Int32(entries.count)))
        keys.append(key)
        if key.byteCount == KeyLimit.recordKey { mayBeTruncated = true }
        counts[group] += 1
    }

    /// Returns the keys of the referrers, in order.
    borrowing func recordKeys() -> RecordKeyList {
        var list = RecordKeyList(byteCount: keys.count, count: entries.count)
        for entry in entries {
            list.append(entry.key(in: keys.bytes))
        }
        return list
    }

    /// Returns the number of a referrer in the order in which referrers were added.
    borrowing func requestedIndex(_ number: Int) -> Int { Int(entries[number].requestedIndex) }

    /// Sorts the referrers by their keys.
    mutating func sort() {
        var sorted: [ReferrerEntry] = []
        swap(&sorted, &entries)
        sorted.sort(byKeysIn: keys.bytes)
        entries = sorted
    }
}

extension ReadContext {
    /// Returns the records that refer to the records of `keys` with a field.
    @usableFromInline
    func referrers(
        _ field: String, _ binding: TypedBinding, _ keys: PrefetchKeys
    ) throws(StoreError) -> ReferrerList {
        let type = binding.type
        let outgoing = state.catalog.references.outgoing[binding.typeIndex]
        guard let reference = outgoing.first(where: { type.type.isField($0.fieldIndex, named: field) }) else {
            throw StoreError(.unknownField, "\(type.name).\(field) is not a reference")
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
    /// Finds the records that refer to any of the records of `keys`, in one pass over the index.
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
