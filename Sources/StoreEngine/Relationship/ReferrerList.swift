import LMDB

/// The records that refer to some others, in the order of their keys, each with the number of the one that it refers to.
///
/// All keys lie in one buffer, so that neither finding nor sorting thousands of them allocates for each.
@usableFromInline
struct ReferrerList: ~Copyable {
    private struct Entry {
        /// The first eight bytes of the key, which settle most comparisons.
        let word: UInt64
        let start: Int
        let byteCount: Int32
        let group: Int32
    }

    private var keys = ByteWriter(capacity: 4_096)
    private var entries: [Entry] = []
    /// How many refer to each.
    @usableFromInline private(set) var counts: [Int]

    init(groupCount: Int) { counts = Array(repeating: 0, count: groupCount) }

    @usableFromInline var count: Int { entries.count }

    /// Whether a key may be truncated, so that they need not come in the order of ids.
    @usableFromInline private(set) var mayBeTruncated = false

    /// Adds a record that refers to record number `group`.
    mutating func append(_ key: RawSpan, group: Int) {
        entries.append(
            Entry(
                word: key.leadingWord, start: keys.count, byteCount: Int32(key.byteCount), group: Int32(group)))
        keys.append(key)
        if key.byteCount == KeyLimit.recordKey { mayBeTruncated = true }
        counts[group] += 1
    }

    /// The keys of the referrers, in order.
    @usableFromInline
    borrowing func recordKeys() -> RecordKeyList {
        var list = RecordKeyList(byteCount: keys.count, count: entries.count)
        for entry in entries {
            list.append(keys.bytes.extracting(entry.start..<entry.start + Int(entry.byteCount)))
        }
        return list
    }

    /// The number of the record that a referrer refers to.
    @usableFromInline
    borrowing func group(_ place: Int) -> Int { Int(entries[place].group) }

    /// Puts all in the order of their keys, and those of one record in that of the numbers.
    mutating func sort() {
        var sorted: [Entry] = []
        swap(&sorted, &entries)
        unsafe keys.bytes.withUnsafeBytes { bytes in
            sorted.sort { left, right in
                if left.word != right.word { return left.word < right.word }
                let all = unsafe RawSpan(_unsafeBytes: bytes)
                let order = all.extracting(left.start..<left.start + Int(left.byteCount))
                    .compared(to: all.extracting(right.start..<right.start + Int(right.byteCount)))
                return order == 0 ? left.group < right.group : order < 0
            }
        }
        entries = sorted
    }
}

extension RawSpan {
    /// The first eight bytes as a number that comes in their order; zeros follow where there are fewer.
    var leadingWord: UInt64 {
        if byteCount >= 8 {
            return unsafe UInt64(bigEndian: unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
        }
        var word: UInt64 = 0
        for offset in 0..<byteCount {
            word |=
                UInt64(unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)) << UInt64(56 - 8 * offset)
        }
        return word
    }
}

extension ReadingScope {
    /// The records that refer to those that are asked for, by a field of theirs.
    @usableFromInline
    func referrers(
        _ field: String, _ binding: TypedBinding, _ keys: PrefetchKeys
    ) throws(StoreError) -> ReferrerList {
        let type = binding.type
        let outgoing = state.catalog.references.outgoing[binding.typeIndex]
        guard let reference = outgoing.first(where: { type.type.isField($0.place, named: field) }) else {
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
