/// A set of page numbers, with one bit for each page of a file.
struct PageSet {
    private var words: [UInt64]

    /// Creates an empty set.
    ///
    /// - Parameter limit: more than the largest number that the set can contain.
    init(limit: UInt64) { words = Array(repeating: 0, count: Int((limit + 63) / 64)) }

    @inline(__always)
    func contains(_ page: UInt64) -> Bool {
        let index = Int(page >> 6)
        return index < words.count && words[index] & 1 << (page & 63) != 0
    }

    /// Adds a page below the limit; returns false if it is there already.
    @inline(__always)
    mutating func insert(_ page: UInt64) -> Bool {
        let (index, bit) = (Int(page >> 6), UInt64(1) << (page & 63))
        defer { words[index] |= bit }
        return words[index] & bit == 0
    }
}
