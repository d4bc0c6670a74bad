/// How a record type is sampled: which records belong to the sample, and how many they are.
///
/// After Flajolet, "On adaptive sampling" (1990): a record belongs to the sample at level k when the hash of its key begins
/// with k zero bits. The level goes up by one, which drops half of the sample, whenever it holds too many. So the sample
/// is bounded, needs no random numbers, stays right under deletes and updates, and all but one of 2^k writes cost a hash.
package struct SampleState: Hashable, Sendable {
    /// The level that every sample begins with.
    package static let firstLevel = 4
    /// No hash has more zero bits.
    static let lastLevel = 60
    /// The most records of a sample.
    package static let maximumCount = 512

    /// How many zero bits the hashes of sampled keys begin with, at least.
    package var level: Int
    /// The number of sampled records.
    package var count: Int

    static let empty = SampleState(level: firstLevel, count: 0)

    init(level: Int, count: Int) {
        self.level = level
        self.count = count
    }

    /// Reads what ``encode(to:)`` wrote; nil for anything else.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 5, let level = try? bytes.loadInteger(at: 0, as: UInt8.self),
            let count = try? bytes.loadInteger(at: 1, as: UInt32.self),
            Int(level) >= Self.firstLevel, Int(level) <= Self.lastLevel, Int(count) <= Self.maximumCount
        else { return nil }
        self.init(level: Int(level), count: Int(count))
    }

    func encode(to writer: inout ByteWriter) {
        writer.append(byte: UInt8(level))
        writer.append(UInt32(count))
    }

    /// Whether a record whose key has this hash belongs to the sample.
    package func includes(_ hash: UInt64) -> Bool { hash.leadingZeroBitCount >= level }
}

/// The keys of the database `statistics`.
///
/// ```
/// state    number of the record type                              data: level (1 byte), number of sampled records (4)
/// entry    number of the record type, number of the index,        data: none
///          value part of the record's entry, hash of its key
/// ```
///
/// Numbers and hashes are big endian, so that the entries of an index stand in the order of the index itself. In place of
/// an index 0xFFFFFFFF stands for the records: the value part is then the record key.
package enum SampleKey {
    /// Stands for the records in place of an index.
    package static let records = UInt32.max
    package static let stateByteCount = 4
    static let prefixByteCount = 8
    static let hashByteCount = 8

    /// The hash that decides whether a record is sampled.
    @inline(__always)
    package static func hash(_ recordKey: RawSpan) -> UInt64 { XXH64.hash(recordKey) }

    static func appendState(type: UInt32, to writer: inout ByteWriter) { writer.append(bigEndian: type) }

    package static func appendPrefix(type: UInt32, index: UInt32, to writer: inout ByteWriter) {
        writer.append(bigEndian: type)
        writer.append(bigEndian: index)
    }

    /// The index that an entry's key is about; nil for a key of another form.
    package static func index(of key: RawSpan) -> UInt32? {
        guard key.byteCount > prefixByteCount + hashByteCount else { return nil }
        return try? UInt32(bigEndian: key.loadInteger(at: 4, as: UInt32.self))
    }

    /// The hash at the end of an entry's key.
    static func hash(of key: RawSpan) throws(CodecError) -> UInt64 {
        let stored = try key.loadInteger(at: key.byteCount - hashByteCount, as: UInt64.self)
        // Integers are stored little endian elsewhere, and loaded so.
        return stored.byteSwapped
    }

    /// The value part of an entry's key.
    @_lifetime(copy key)
    static func value(of key: RawSpan) -> RawSpan {
        key.extracting(prefixByteCount..<Swift.max(prefixByteCount, key.byteCount - hashByteCount))
    }
}
