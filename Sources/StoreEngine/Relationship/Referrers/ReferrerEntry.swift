import LMDB

/// The key of a referring record, as a part of the buffer of a ``ReferrerList``.
struct ReferrerEntry {
    /// The first eight bytes of the key, which decide most comparisons.
    let word: UInt64
    let start: Int
    let byteCount: Int32
    /// The number of the record in the order in which records were added.
    let requestedIndex: Int32

    @_lifetime(copy keys)
    func key(in keys: RawSpan) -> RawSpan { keys.extracting(start..<start + Int(byteCount)) }

    func precedes(_ other: ReferrerEntry, _ keys: RawSpan) -> Bool {
        if word != other.word { return word < other.word }
        return key(in: keys).compared(to: other.key(in: keys)) < 0
    }
}

extension [ReferrerEntry] {
    /// Sorts the entries by their keys.
    ///
    /// - Complexity: O(n) where the first eight bytes are evenly distributed, as those of numbers and of random ids are;
    ///   otherwise that of a sort by comparisons.
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

    /// The maximum number of entries in one part of the range. It is small enough to sort a part by insertion.
    private static var crowd: Int32 { 32 }

    /// Distributes the entries over parts of the range of first bytes, by counting how many belong in each part. Only the entries
    /// within a part then need comparisons, which a processor mispredicts half the time.
    /// - Returns: false, with no entry moved, where there are few entries, or too many in one part.
    private mutating func spread() -> Bool {
        guard count > 16 else { return false }
        var first = UInt64.max
        var last = UInt64.min
        for entry in self {
            first = Swift.min(first, entry.word)
            last = Swift.max(last, entry.word)
        }
        // The number of parts is between half and twice the number of entries.
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

    /// Sorts the entries of each part by insertion, after the parts themselves are in order.
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
    /// The number of bits without leading zeros.
    fileprivate var significantBitCount: Int { bitWidth - leadingZeroBitCount }
}

extension RawSpan {
    /// The first eight bytes as a number that sorts as the bytes do. Zeros follow where there are fewer bytes.
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
