/// Computes the 64-bit xxHash of bytes. It is the checksum of records and feed entries, and it chains the entries of the feed.
///
/// The hash detects damage but gives no protection against forgery. The algorithm is XXH64 of the xxHash specification (Yann
/// Collet, `doc/xxhash_spec.md`). It takes linear time in the number of bytes, and it does not allocate.
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Returns the hash of `bytes`, chained to an earlier hash through `seed`.
    package static func hash(_ bytes: RawSpan, seed: UInt64 = 0) -> UInt64 {
        let end = bytes.byteCount
        var offset = 0
        var hash: UInt64
        if end >= 32 {
            var lane1 = seed &+ prime1 &+ prime2
            var lane2 = seed &+ prime2
            var lane3 = seed
            var lane4 = seed &- prime1
            while offset <= end - 32 {
                lane1 = round(lane1, load64(bytes, offset))
                lane2 = round(lane2, load64(bytes, offset + 8))
                lane3 = round(lane3, load64(bytes, offset + 16))
                lane4 = round(lane4, load64(bytes, offset + 24))
                offset += 32
            }
            hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
            hash = merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(end)
        while offset <= end - 8 {
            hash ^= round(0, load64(bytes, offset))
            hash = rotate(hash, 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset <= end - 4 {
            let word = unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash ^= UInt64(word) &* prime1
            hash = rotate(hash, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < end {
            let byte = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
            hash ^= UInt64(byte) &* prime5
            hash = rotate(hash, 11) &* prime1
            offset += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    // Callers pass offsets of at most `end - 8`, so the unchecked load never leaves the span.
    @inline(__always)
    private static func load64(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        (value << count) | (value >> (64 - count))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }
}
