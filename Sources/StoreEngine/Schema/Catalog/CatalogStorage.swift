import Foundation
package import LMDB

/// Reads and writes the catalog's entries.
///
/// ```
/// key          number of the record type, 4 bytes, big endian
/// bytes 0-7    XXH64 of the rest
/// bytes 8-     the entry: a `RecordType` as JSON with sorted keys
/// ```
package enum CatalogStorage {
    /// Returns all record types in the order of their numbers, including the types that other types replaced.
    package static func types(in database: LMDBDatabase, _ snapshot: LMDBSnapshot) throws(StoreError) -> [RecordType] {
        var types: [RecordType] = []
        do {
            var cursor = try snapshot.openCursor(database)
            var isPositioned = try cursor.first()
            while isPositioned {
                types.append(try decode(cursor.value))
                isPositioned = try cursor.next()
            }
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch {
            throw StoreError(
                .damaged, "an entry of the catalog cannot be decoded: \(ErrorText.of(error))",
                remedy: "restore a backup",
                cause: error)
        }
        return types
    }

    /// Writes an entry and returns its JSON.
    @discardableResult
    package static func write(
        _ type: RecordType, to database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> [UInt8] {
        let json = try encode(type)
        var key = ByteWriter(capacity: 16)
        key.append(bigEndian: type.id)
        var value = ByteWriter(capacity: json.count + 8)
        unsafe value.append(XXH64.hash(json.span.bytes))
        value.append(json)
        do {
            try raw.put(database, key: key.bytes, value: value.bytes)
        } catch {
            throw StoreError(error)
        }
        return json
    }

    /// Returns the JSON of an entry.
    package static func encode(_ type: RecordType) throws(StoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(type))
        } catch {
            throw StoreError(.invalidValue, "the description of \(type.name) cannot be encoded: \(ErrorText.of(error))")
        }
    }

    private static func decode(_ value: RawSpan) throws -> RecordType {
        let stored = try value.loadInteger(at: 0, as: UInt64.self)
        let json = value.extracting(8..<value.byteCount)
        guard XXH64.hash(json) == stored else { throw CodecError("its checksum does not match") }
        return try JSONDecoder().decode(RecordType.self, from: Data(from: json))
    }
}
