import LMDB

/// The key of a record that refers to another, as a part of the buffer of a ``ReferrerList``.
struct ReferrerEntry {
    /// The first eight bytes of the key, which settle most comparisons.
    let word: UInt64
    let start: Int
    let byteCount: Int32
    /// As which it was added.
    let requestedIndex: Int32

    @_lifetime(copy keys)
    func key(in keys: RawSpan) -> RawSpan { keys.extracting(start..<start + Int(byteCount)) }

    func precedes(_ other: ReferrerEntry, _ keys: RawSpan) -> Bool {
        if word != other.word { return word < other.word }
        return key(in: keys).compared(to: other.key(in: keys)) < 0
    }
}

extension [ReferrerEntry] {
    /// Puts all in the order of their keys.
    ///
    /// - Complexity: O(n) where the first eight bytes are spread evenly, as those of numbers and of random ids are; else that
    ///   of a sort by comparisons.
    mutating func sort(byKeysIn keys: RawSpan) {
        if spread() {
            finish(keys)
        } else {
            unsafe keys.withUnsafeBytes { bytes in
                let keys = unsafe RawSpan(_unsafeBytes: bytes)
                sort { $0.precedes($1, keys) }
            }
        }
    }

    /// How many may be in one part of the range: few enough that each can be moved past the others.
    private static var crowd: Int32 { 32 }

    /// Puts each into its part of the range of first bytes, by counting how many belong in each: comparisons, each of which a
    /// processor guesses wrong half the time, are left for those of one part.
    ///
    /// - Returns: false, with nothing moved, where there are few, or too many in one part.
    private mutating func spread() -> Bool {
        guard count > 16 else { return false }
        var first = UInt64.max
        var last = UInt64.min
        for entry in self {
            first = Swift.min(first, entry.word)
            last = Swift.max(last, entry.word)
        }
        // From half as many parts as entries to twice as many.
        let shift = Swift.max(0, (last - first).significantBitCount - UInt64(count).significantBitCount)
        var ends = [Int32](repeating: 0, count: Int((last - first) >> shift) + 2)
        for entry in self {
            let part = Int((entry.word - first) >> shift) + 1
            ends[part] += 1
            if ends[part] > Self.crowd { return false }
        }
        for part in ends.indices.dropFirst() { ends[part] += ends[part - 1] }
        var parted = self
        for entry in self {
            let part = Int((entry.word - first) >> shift)
            parted[Int(ends[part])] = entry
            ends[part] += 1
        }
        self = parted
        return true
    }

    /// Puts those of each part in order, when the parts are.
    private mutating func finish(_ keys: RawSpan) {
        for number in indices.dropFirst() {
            let entry = self[number]
            var target = number
            while target > 0, entry.precedes(self[target - 1], keys) {
                self[target] = self[target - 1]
                target -= 1
            }
            self[target] = entry
        }
    }
}

extension UInt64 {
    /// How many bits it takes to write the number.
    fileprivate var significantBitCount: Int { bitWidth - leadingZeroBitCount }
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
