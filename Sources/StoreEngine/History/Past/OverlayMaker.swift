import LMDB

/// Computes from earlier records the difference between the store's databases at the earlier position and now. The difference
/// covers the records, and their entries in the current indexes.
@safe
struct OverlayMaker: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let earlier: EarlierRecords
    private var builder = LMDBOverlayBuilder()

    @_lifetime(copy scope)
    init(_ scope: ReadContext, _ earlier: EarlierRecords) {
        self.scope = scope
        self.earlier = earlier
    }

    /// Returns the overlay that contains the earlier records.
    consuming func make() throws(StoreError) -> LMDBOverlay {
        let catalog = scope.state.catalog
        for record in earlier.entries {
            let type = catalog.types[record.typeIndex]
            do {
                try add(record, type)
            } catch let error as CodecError {
                throw earlier.failure(error, of: record)
            } catch {
                throw StoreError(reading: error, at: "the records of \(type.name)")
            }
        }
        do {
            return try builder.finish()
        } catch {
            throw Self.clash(error, catalog)
        }
    }

    @_lifetime(self: copy self)
    private mutating func add(_ record: EarlierRecords.Entry, _ type: OpenType) throws {
        let key = record.key
        let now = unsafe try scope.value(type.database, key: key.span.bytes)
        guard let now else {
            guard let before = record.before else { return }
            unsafe builder.add(type.database, key: key.span.bytes, value: before.span.bytes)
            let entries = unsafe try Self.entries(of: before.span.bytes, key, type)
            for (index, entries) in zip(type.indexes, entries) {
                for entry in entries { try add(entry, to: index, record, type) }
            }
            return
        }
        guard let before = record.before else {
            unsafe builder.hide(type.database, key: key.span.bytes)
            for (index, entries) in zip(type.indexes, try Self.entries(of: now, key, type)) {
                for entry in entries { unsafe builder.hide(index.database, key: entry.key.span.bytes) }
            }
            return
        }
        let isSameType = !earlier.hasChanged(type)
        if isSameType, unsafe now.isEqual(to: before.span.bytes) { return }
        unsafe builder.replace(type.database, key: key.span.bytes, value: before.span.bytes)
        let (old, new) = (
            unsafe try Self.entries(of: before.span.bytes, key, type), try Self.entries(of: now, key, type)
        )
        for (indexNumber, index) in type.indexes.enumerated() {
            // An entry that both states have stays. The exception is an index that has become unique since: other records may
            // have had the same entry. It is then added anyway, so that it clashes with theirs.
            func isMoved(_ entry: ExpectedEntry, from others: [ExpectedEntry]) -> Bool {
                entry.isSole && !isSameType || !others.contains { $0.key == entry.key }
            }
            for entry in new[indexNumber] where isMoved(entry, from: old[indexNumber]) {
                unsafe builder.hide(index.database, key: entry.key.span.bytes)
            }
            for entry in old[indexNumber] where isMoved(entry, from: new[indexNumber]) {
                try add(entry, to: index, record, type)
            }
        }
    }

    @_lifetime(self: copy self)
    private mutating func add(
        _ entry: ExpectedEntry, to index: OpenIndex, _ record: EarlierRecords.Entry, _ type: OpenType
    ) throws {
        let key = entry.key
        // In an index that has become unique since, an unchanged record may have the same value.
        if entry.isSole, earlier.hasChanged(type),
            let data = unsafe try scope.value(index.database, key: key.span.bytes)
        {
            let holder = unsafe try IndexEntry.recordKey(key: key.span.bytes, data: data).array()
            guard earlier.contains(typeIndex: record.typeIndex, key: holder) else { throw Self.ambiguous(index, type) }
        }
        unsafe builder.add(index.database, key: key.span.bytes, value: entry.data.span.bytes)
    }

    /// Returns the entries of a record in each of the indexes. Indexes that are still being built get none, because no request
    /// uses them.
    private static func entries(
        of bytes: RawSpan, _ key: [UInt8], _ type: OpenType
    ) throws(CodecError) -> [[ExpectedEntry]] {
        let record = try RecordBytes(unverified: bytes)
        try EarlierRecords.requireValues(record, type)
        return try type.withNewest(record) { (newest) throws(CodecError) in
            var all: [[ExpectedEntry]] = []
            all.reserveCapacity(type.indexes.count)
            for index in type.indexes {
                all.append(
                    index.stored.isBuilding
                        ? [] : unsafe try ExpectedEntry.all(of: newest, key: key.span.bytes, index))
            }
            return all
        }
    }

    private static func clash(_ clash: LMDBOverlayBuilder.Clash, _ catalog: Catalog) -> StoreError {
        for type in catalog.types {
            if let index = type.indexes.first(where: { $0.database == clash.database }) {
                return ambiguous(index, type)
            }
        }
        return StoreError(.damaged, "the feed has two records under one key", remedy: "run `store-cli verify`")
    }

    private static func ambiguous(_ index: OpenIndex, _ type: OpenType) -> StoreError {
        StoreError(
            .historyUnavailable,
            "two records of \(type.name) had the same value in (\(index.fieldNames(in: type.type))), which has since become unique",
            remedy: "read a position after the schema change")
    }
}
