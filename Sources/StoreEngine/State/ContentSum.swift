package import LMDB

/// The sum of the hashes of a store's records: replicas with equal records have equal sums.
///
/// A write adds the hash of each record that it stores, and subtracts that of each record that it replaces or deletes. So the sum
/// costs nothing for the records that a write does not touch. It finds accidents, and gives no protection against forgery.
package struct ContentSum: Hashable, Sendable, CustomStringConvertible {
    private var value: UInt128 = 0

    /// The sum of a store without records.
    package init() {}

    /// Reads ``bytes``.
    package init(_ bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        let high: UInt64 = try reader.read()
        value = UInt128(high) << 64 | UInt128(try reader.read(UInt64.self))
        guard reader.isAtEnd else { throw CodecError("it has \(reader.remaining) bytes too many") }
    }

    /// The sum as 16 bytes.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        writer.append(UInt64(truncatingIfNeeded: value >> 64))
        writer.append(UInt64(truncatingIfNeeded: value))
        return writer.array()
    }

    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Adds a record in the form of its type's newest version.
    ///
    /// - Parameter type: the number of its type.
    mutating func add(_ record: RawSpan, type: UInt32) { value &+= Self.hash(record, type: type) }

    /// Subtracts a record in the form of its type's newest version.
    mutating func subtract(_ record: RawSpan, type: UInt32) { value &-= Self.hash(record, type: type) }

    package static func += (left: inout ContentSum, right: ContentSum) { left.value &+= right.value }

    /// The checksum and the version of the schema are left out. A store keeps them until the record's next write, and they say
    /// nothing about its content.
    private static let skippedByteCount = 8

    private static func hash(_ record: RawSpan, type: UInt32) -> UInt128 {
        let content = record.extracting(skippedByteCount..<record.byteCount)
        let seed = UInt64(type) << 1
        return UInt128(XXH64.hash(content, seed: seed | 1)) << 64 | UInt128(XXH64.hash(content, seed: seed))
    }
}

extension NetChanges {
    /// The difference that the changes make to the sum of the store's records.
    borrowing func contentChange(_ catalog: Catalog) -> ContentSum {
        var sum = ContentSum()
        for entry in entries {
            let type = catalog.types[entry.type].type.id
            if let before = entry.before { sum.subtract(bytes(before), type: type) }
            if let after = entry.after { sum.add(bytes(after), type: type) }
        }
        return sum
    }
}

extension ReadContext {
    /// Returns the sum of all records.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`.
    /// - Complexity: linear in the size of the records.
    package func contentSum() throws -> ContentSum {
        var sum = ContentSum()
        for (typeIndex, type) in state.catalog.types.enumerated() {
            try forEachNewest(typeIndex: typeIndex) { record in sum.add(record.bytes, type: type.type.id) }
        }
        return sum
    }

    /// Returns the sum of all records that the store keeps; nil if it keeps none.
    package func storedContentSum() throws(StoreError) -> ContentSum? {
        let key = MetadataKey.content
        guard let bytes = unsafe try value(state.databases.metadata, key: key.span.bytes) else { return nil }
        do {
            return try ContentSum(bytes)
        } catch {
            throw StoreError(error, at: "the sum of the records")
        }
    }
}

extension ContentSum {
    /// Stores the sum of all records.
    package func write(_ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction) throws(LMDBError) {
        let key = MetadataKey.content
        unsafe try raw.put(databases.metadata, key: key.span.bytes, value: bytes.span.bytes)
    }

    /// Makes the next write of a replica count all records again, because a change of the schema gives them another form.
    package static func forget(_ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction) throws(LMDBError) {
        let key = MetadataKey.content
        _ = unsafe try raw.delete(databases.metadata, key: key.span.bytes)
    }
}
