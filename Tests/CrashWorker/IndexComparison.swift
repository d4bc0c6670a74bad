import LMDB
import StoreEngine

/// Computes each index anew from the records and compares it, entry by entry, with the one in the store.
struct IndexComparison: ~Escapable {
    private let reading: ReadingScope

    @_lifetime(copy reading)
    init(_ reading: ReadingScope) { self.reading = reading }

    func findings() throws -> [String] {
        var findings: [String] = []
        for type in reading.catalog.types {
            for index in type.indexes { findings += try self.findings(type, index) }
        }
        return findings
    }

    private func findings(_ type: OpenType, _ index: OpenIndex) throws -> [String] {
        let wanted = try computed(type, index)
        let found = try contents(of: index.database)
        let name = "the index on \(index.fieldNames(in: type.type)) of \(type.name)"
        var findings: [String] = []
        for (key, data) in found where wanted[key] != data {
            findings.append("\(name) has an entry \(hex(key)) that no record has")
        }
        for (key, data) in wanted where found[key] != data { findings.append("\(name) lacks the entry \(hex(key))") }
        return findings
    }

    private func computed(_ type: OpenType, _ index: OpenIndex) throws -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = try reading.snapshot.openCursor(type.database)
        var isPositioned = try cursor.first()
        while isPositioned {
            let entry = try Self.entry(of: cursor.value, key: cursor.key, type, index)
            entries[entry.key] = entry.data
            isPositioned = try cursor.next()
        }
        return entries
    }

    private static func entry(
        of bytes: RawSpan, key recordKey: RawSpan, _ type: OpenType, _ index: OpenIndex
    ) throws -> (key: [UInt8], data: [UInt8]) {
        let record = try RecordBytes(bytes)
        var key = ByteWriter()
        var data = ByteWriter()
        let traits = try IndexEntry.appendValue(
            of: record.table, places: try type.places(inVersion: record.schemaVersion), parts: index.parts, to: &key)
        _ = IndexEntry.complete(
            isUnique: index.stored.isUnique, traits: traits, recordKey: recordKey, key: &key, data: &data)
        return (key.array(), data.array())
    }

    private func contents(of database: LMDBDatabase) throws -> [[UInt8]: [UInt8]] {
        var entries: [[UInt8]: [UInt8]] = [:]
        var cursor = try reading.snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            let key = cursor.key.array()
            entries[key] = cursor.value.array()
            isPositioned = try cursor.next()
        }
        return entries
    }

    private func hex(_ bytes: [UInt8]) -> String { unsafe HexText.of(bytes.span.bytes) }
}
