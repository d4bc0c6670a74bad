/// SipHash-2-4 under a key of 128 bits: J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
///
/// Without the key, a program cannot choose bytes with a given hash, or two values with equal hashes. So the checksums of a redo
/// log use a random key: no value of the store can contain bytes that pass for an entry. The keys of long ids and values use
/// others (`KeyHash`). A hash takes linear time in the number of bytes.
package struct SipHash: Hashable, Sendable {
    package let low: UInt64
    package let high: UInt64

    /// Creates the hash function of a key.
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Returns a function with a key from the system's random numbers.
    package static func random() -> SipHash {
        SipHash(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
    }

    /// Returns the hash of bytes.
    package func hash(_ bytes: RawSpan) -> UInt64 {
        var state = State(low: low, high: high)
        let end = bytes.byteCount & ~7
        var offset = 0
        while offset < end {
            // The offset is below the end by 8 bytes or more.
            state.add(unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            offset += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.byteCount) << 56
        while offset < bytes.byteCount {
            let byte = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
            last |= UInt64(byte) << UInt64(8 * (offset - end))
            offset += 1
        }
        state.add(last)
        return state.finish()
    }

    private struct State {
        private var (v0, v1, v2, v3): (UInt64, UInt64, UInt64, UInt64)

        init(low: UInt64, high: UInt64) {
            v0 = low ^ 0x736f_6d65_7073_6575
            v1 = high ^ 0x646f_7261_6e64_6f6d
            v2 = low ^ 0x6c79_6765_6e65_7261
            v3 = high ^ 0x7465_6462_7974_6573
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        @inline(__always)
        private mutating func round() {
            v0 = v0 &+ v1
            v1 = v1 << 13 | v1 >> 51
            v1 ^= v0
            v0 = v0 << 32 | v0 >> 32
            v2 = v2 &+ v3
            v3 = v3 << 16 | v3 >> 48
            v3 ^= v2
            v0 = v0 &+ v3
            v3 = v3 << 21 | v3 >> 43
            v3 ^= v0
            v2 = v2 &+ v1
            v1 = v1 << 17 | v1 >> 47
            v1 ^= v2
            v2 = v2 << 32 | v2 >> 32
        }
    }
}
