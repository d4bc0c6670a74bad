import LMDB

/// The sampling of a record type: which records belong to the sample, and how many they are.
///
/// The method is from Flajolet, "On adaptive sampling" (1990). A record belongs to the sample at level k if the hash of its key
/// begins with k zero bits. When the sample has too many records, the level goes up by one, which drops half of them.
///
/// The sample is therefore bounded, needs no random numbers, and stays correct under deletes and updates. All but one of 2^k
/// writes cost only a hash.
package struct SampleState: Hashable, Sendable {
    /// The initial level of every sample.
    package static let firstLevel = 4
    /// The highest level: no hash is required to have more zero bits.
    static let lastLevel = 60
    /// The maximum number of records in a sample.
    package static let maximumCount = 512

    /// The minimum number of zero bits at the beginning of a sampled key's hash.
    package var level: Int
    /// The number of sampled records.
    package var count: Int

    static let empty = SampleState(level: firstLevel, count: 0)

    init(level: Int, count: Int) {
        self.level = level
        self.count = count
    }

    /// Reads the output of ``encode(to:)``; nil for any other bytes.
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
/// Numbers and hashes are big endian, so that the entries of an index have the order of the index itself. The index number
/// 0xFFFFFFFF stands for the records; the value part is then the record key.
package enum SampleKey {
    /// The index number that stands for the records.
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

    /// Returns the index number in an entry's key; nil for a key of another form.
    package static func index(of key: RawSpan) -> UInt32? {
        guard key.byteCount > prefixByteCount + hashByteCount else { return nil }
        return try? UInt32(bigEndian: key.loadInteger(at: 4, as: UInt32.self))
    }

    /// Returns the hash at the end of an entry's key.
    static func hash(of key: RawSpan) throws(CodecError) -> UInt64 {
        let stored = try key.loadInteger(at: key.byteCount - hashByteCount, as: UInt64.self)
        // The load function assumes little endian, as integers are stored elsewhere.
        return stored.byteSwapped
    }

    /// Returns the value part of an entry's key.
    @_lifetime(copy key)
    static func value(of key: RawSpan) -> RawSpan {
        key.extracting(prefixByteCount..<Swift.max(prefixByteCount, key.byteCount - hashByteCount))
    }
}
